// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/own_code.h"

#include "stream/registers.h"

#include <algorithm>
#include <array>
#include <utility>

namespace heapstory {

namespace {

using Where = PlacedVariable::Where;
using Kind = VariableLocation::Kind;

// The first byte of a register that DWARF numbers so, as a set of registers has them.
std::optional<unsigned> register_byte(int dwarf) {
    constexpr std::array<unsigned, 8> general = {0, 2, 1, 3, 6, 7, 5, 4}; // rax rdx rcx rbx ...
    constexpr int first_vector = 17;
    if (dwarf >= 0 && dwarf < 8)
        return stream::general_registers + 8 * general[size_t(dwarf)];
    if (dwarf >= 8 && dwarf < 16)
        return stream::general_registers + 8 * unsigned(dwarf);
    if (dwarf >= first_vector && dwarf < first_vector + 16)
        return stream::vector_registers + 32 * unsigned(dwarf - first_vector);
    return {};
}

bool ends_in(std::string_view path, std::string_view components) {
    return path.ends_with(components) &&
           (path.size() == components.size() || components.starts_with('/') ||
            path[path.size() - components.size() - 1] == '/');
}

bool is_in_scope(const OwnVariable &variable, uint64_t address) {
    return variable.scope.empty() ||
           std::ranges::any_of(variable.scope, [&](const CodeRange &range) {
               return address >= range.low && address < range.high;
           });
}

} // namespace

StoredCode::StoredCode(std::shared_ptr<const Store> store) : store_(std::move(store)) {
    const TraceFile &file = store_->file();
    for (uint32_t chunk = 0; chunk < file.chunks().size(); ++chunk) {
        const ChunkHeader &header = store_->header(chunk);
        if (ChunkKind(header.kind) == ChunkKind::own_code)
            decode_own_code(file.payload(chunk), code_);
        else if (ChunkKind(header.kind) == ChunkKind::code)
            bytes_[header.first_word] = decode_code(file.payload(chunk));
    }
    std::ranges::stable_sort(code_.instructions, {}, &OwnInstruction::address);
}

// Of several at one address the last: where a library was unloaded, another may have come.
const OwnInstruction *StoredCode::find(uint64_t address) const {
    auto after =
        std::ranges::upper_bound(code_.instructions, address, {}, &OwnInstruction::address);
    if (after == code_.instructions.begin() || (after - 1)->address != address)
        return nullptr;
    return &*(after - 1);
}

std::span<const PlaceRow> StoredCode::places(uint64_t address) const {
    const OwnInstruction *found = find(address);
    return found ? std::span<const PlaceRow>(code_.places[found->places])
                 : std::span<const PlaceRow>();
}

std::vector<uint64_t> StoredCode::addresses(std::string_view path, uint32_t line) const {
    auto is_meant = [&](const PlaceRow &place) {
        return place.line == line && ends_in(text(place.path), path);
    };
    std::vector<uint64_t> beginning, others, meant_to_begin, inlined;
    for (const OwnInstruction &one : code_.instructions) {
        const std::vector<PlaceRow> &places = code_.places[one.places];
        const bool begins = one.begun && std::ranges::any_of(code_.places[one.begun - 1], is_meant);
        if (!places.empty() && is_meant(places.front()))
            (begins ? beginning : others).push_back(one.address);
        else if (begins)
            meant_to_begin.push_back(one.address);
        else if (std::ranges::any_of(places, is_meant))
            inlined.push_back(one.address);
    }
    beginning.insert(beginning.end(), others.begin(), others.end());
    return !beginning.empty() ? beginning : !meant_to_begin.empty() ? meant_to_begin : inlined;
}

std::vector<PlacedVariable> StoredCode::variables(uint64_t address) const {
    std::vector<PlacedVariable> found;
    const OwnInstruction *at = find(address);
    if (!at || !at->function)
        return found;
    for (const OwnVariable &variable : code_.functions[at->function - 1]) {
        if (!is_in_scope(variable, address))
            continue;
        const size_t before = found.size();
        for (const LocationRange &range : variable.locations)
            if (range.everywhere || (address >= range.start && address < range.end))
                for (const VariableLocation &location : range.locations)
                    found.push_back(placed(variable, location, *at));
        if (found.size() == before)
            found.push_back({variable.name, variable.type, variable.size});
    }
    return found;
}

PlacedVariable StoredCode::placed(const OwnVariable &variable, const VariableLocation &location,
                                  const OwnInstruction &at) const {
    PlacedVariable made{variable.name, variable.type, variable.size};
    made.piece = location.piece;
    made.piece_size = location.size ? location.size : variable.size;
    made.at = location.offset;
    const std::optional<unsigned> base = register_byte(location.reg);
    const FrameAddress *frame = at.frame ? &code_.frames[at.frame - 1] : nullptr;
    if (location.kind == Kind::fixed)
        made.where = Where::address;
    else if (location.kind == Kind::frame)
        made.where = Where::frame;
    else if (location.kind == Kind::memory && frame && frame->reg == location.reg) {
        made.where = Where::frame;
        made.at -= frame->offset;
    } else if (location.kind == Kind::memory && base) {
        made.where = Where::memory;
        made.base = *base;
    } else if (base) {
        made.where = Where::registers;
        made.at = *base;
    }
    return made;
}

std::span<const uint8_t> StoredCode::bytes(uint64_t address) const {
    auto after = bytes_.upper_bound(address);
    if (after == bytes_.begin())
        return {};
    const auto &[start, bytes] = *--after;
    if (address - start >= bytes.size())
        return {};
    return std::span<const uint8_t>(bytes).subspan(address - start);
}

} // namespace heapstory
