// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/container/printable.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace heapstory {

namespace {

struct Character {
    uint32_t code = 0;
    unsigned length = 0; // bytes; 0: not valid
};

Character decode(std::string_view text) {
    const auto byte = [&](size_t i) { return uint8_t(text[i]); };
    const uint8_t first = byte(0);
    if (first < 0x80)
        return {first, 1};
    const unsigned length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (first < 0xc2 || first > 0xf4 || text.size() < length)
        return {};
    uint32_t code = first & (0x7fu >> length);
    for (unsigned i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80)
            return {};
        code = code << 6 | (byte(i) & 0x3f);
    }
    bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < least[length] || code > 0x10ffff || is_surrogate ? Character{}
                                                                   : Character{code, length};
}

bool is_obeyed(uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

std::string escape(uint32_t code) {
    if (code == '\n')
        return "\\n";
    if (code == '\t')
        return "\\t";
    if (code == '\r')
        return "\\r";
    char text[16];
    std::snprintf(text, sizeof text, code < 0x100 ? "\\x%02x" : "\\u%04x", unsigned(code));
    return text;
}

} // namespace

std::string printable(std::string_view text) {
    if (std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; }))
        return std::string(text);
    std::string out;
    while (!text.empty()) {
        Character character = decode(text);
        if (!character.length) {
            out += escape(uint8_t(text[0]));
            character.length = 1;
        } else if (is_obeyed(character.code)) {
            out += escape(character.code);
        } else {
            out += text.substr(0, character.length);
        }
        text.remove_prefix(character.length);
    }
    return out;
}

} // namespace heapstory
