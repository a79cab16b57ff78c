// Readable names from linkage names: C++ and legacy Rust.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/elf/demangle.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <string_view>

namespace heapstory {

namespace {

// Legacy Rust names end in "::h" and 16 hexadecimal digits.
bool is_rust(std::string_view text) {
    if (text.size() < 20 || text.substr(text.size() - 19, 3) != "::h")
        return false;
    for (char c : text.substr(text.size() - 16))
        if (!std::isxdigit(static_cast<unsigned char>(c)))
            return false;
    return true;
}

std::string rust_path(std::string_view text) {
    static constexpr struct {
        std::string_view escape, plain;
    } escapes[] = {{"$LT$", "<"},  {"$GT$", ">"},   {"$RF$", "&"},  {"$BP$", "*"},  {"$LP$", "("},
                   {"$RP$", ")"},  {"$C$", ","},    {"$SP$", "@"},  {"$u20$", " "}, {"$u27$", "'"},
                   {"$u5b$", "["}, {"$u5d$", "]"},  {"$u7b$", "{"}, {"$u7d$", "}"}, {"$u3b$", ";"},
                   {"$u2b$", "+"}, {"$u22$", "\""}, {"$u7e$", "~"}, {"..", "::"}};
    std::string path;
    for (size_t i = 0; i < text.size();) {
        bool start = i == 0 || (i >= 2 && text.substr(i - 2, 2) == "::");
        if (start && text.substr(i, 2) == "_$") { // the underscore only protects the '$'
            ++i;
            continue;
        }
        size_t before = i;
        for (const auto &[escape, plain] : escapes)
            if (text.substr(i, escape.size()) == escape) {
                path += plain;
                i += escape.size();
                break;
            }
        if (i == before)
            path += text[i++];
    }
    return path;
}

} // namespace

std::string demangle(const char *name) {
    if (std::strncmp(name, "_R", 2) == 0)
        return demangle_rust_v0(name);
    if (std::strncmp(name, "_Z", 2) != 0 || std::strlen(name) > 32768)
        return name;
    int status = 0;
    char *text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    if (!text)
        return name;
    std::string result = text;
    std::free(text);
    if (is_rust(result))
        return rust_path(std::string_view(result).substr(0, result.size() - 19));
    return result;
}

} // namespace heapstory
