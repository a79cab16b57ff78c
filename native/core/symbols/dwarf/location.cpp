// Where a variable is at an instruction.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/dwarf/location.h"

#include <cstdlib>

namespace heapstory {

namespace {

constexpr size_t max_ranges = 100000; // of one location list

// One simple location at ops[at]; advances at. Values that are computed or constant have none.
std::optional<VariableLocation> simple(Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t count,
                                       size_t &at, const std::optional<VariableLocation> &base) {
    const Dwarf_Op &op = ops[at++];
    VariableLocation found{VariableLocation::Kind::memory};
    if (op.atom >= DW_OP_reg0 && op.atom <= DW_OP_reg31)
        return VariableLocation{VariableLocation::Kind::reg, op.atom - DW_OP_reg0};
    if (op.atom == DW_OP_regx && op.number < 256)
        return VariableLocation{VariableLocation::Kind::reg, static_cast<int>(op.number)};
    if (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31) {
        found.reg = op.atom - DW_OP_breg0;
        found.offset = static_cast<int64_t>(op.number);
    } else if (op.atom == DW_OP_bregx && op.number < 256) {
        found.reg = static_cast<int>(op.number);
        found.offset = static_cast<int64_t>(op.number2);
    } else if (op.atom == DW_OP_fbreg && base) {
        found = *base;
        found.offset += static_cast<int64_t>(op.number);
    } else if (op.atom == DW_OP_call_frame_cfa) {
        found.kind = VariableLocation::Kind::frame;
    } else if (op.atom == DW_OP_addr || op.atom == DW_OP_addrx) {
        Dwarf_Addr address = op.number;
        Dwarf_Attribute indirect;
        if (op.atom == DW_OP_addrx && (dwarf_getlocation_attr(attr, &op, &indirect) != 0 ||
                                       dwarf_formaddr(&indirect, &address) != 0))
            return {};
        found.kind = VariableLocation::Kind::fixed;
        found.offset = static_cast<int64_t>(address);
    } else {
        return {};
    }
    if (at < count && ops[at].atom == DW_OP_stack_value) { // the value is the register's
        ++at;
        if (found.kind != VariableLocation::Kind::memory || found.offset != 0)
            return {};
        return VariableLocation{VariableLocation::Kind::reg, found.reg};
    }
    return found;
}

std::vector<VariableLocation> decode(Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t count,
                                     const std::optional<VariableLocation> &base) {
    std::vector<VariableLocation> locations;
    uint64_t piece = 0;
    for (size_t at = 0; at < count;) {
        std::optional<VariableLocation> found;
        if (ops[at].atom != DW_OP_piece) {
            found = simple(attr, ops, count, at, base);
            if (at < count && ops[at].atom != DW_OP_piece) // more than a simple location
                return {};
        }
        if (found) {
            found->piece = piece;
            locations.push_back(*found);
        }
        if (at < count) {
            if (found)
                locations.back().size = ops[at].number;
            piece += ops[at++].number;
        }
    }
    return locations;
}

} // namespace

Frames::~Frames() {
    if (eh_frame_)
        dwarf_cfi_end(eh_frame_);
}

std::optional<FrameAddress> Frames::at(uint64_t address) {
    if (!opened_) {
        opened_ = true;
        eh_frame_ = dwarf_getcfi_elf(image_.elf());
        debug_frame_ = dwarf_getcfi(dwarf_);
    }
    for (Dwarf_CFI *cfi : {eh_frame_, debug_frame_}) {
        Dwarf_Frame *frame = nullptr;
        if (!cfi || dwarf_cfi_addrframe(cfi, address, &frame) != 0)
            continue;
        Dwarf_Op *ops = nullptr;
        size_t count = 0;
        std::optional<FrameAddress> found;
        if (dwarf_frame_cfa(frame, &ops, &count) == 0 && count == 1) {
            if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31)
                found = {ops[0].atom - DW_OP_breg0, static_cast<int64_t>(ops[0].number)};
            else if (ops[0].atom == DW_OP_bregx && ops[0].number < 256)
                found = {static_cast<int>(ops[0].number), static_cast<int64_t>(ops[0].number2)};
        }
        std::free(frame);
        if (found)
            return found;
    }
    return {};
}

std::optional<VariableLocation> frame_base(Dwarf_Die *function, uint64_t address) {
    Dwarf_Attribute memory;
    Dwarf_Attribute *attr = attribute(function, DW_AT_frame_base, &memory);
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (!attr || dwarf_getlocation_addr(attr, address, &ops, &count, 1) != 1)
        return {};
    std::vector<VariableLocation> found = decode(attr, ops, count, {});
    if (found.size() != 1)
        return {};
    if (found[0].kind ==
        VariableLocation::Kind::reg) // clang: the frame base is what the register holds
        found[0].kind = VariableLocation::Kind::memory;
    return found[0];
}

std::vector<LocationRange> locations_of(Dwarf_Die *variable,
                                        const std::optional<VariableLocation> &base) {
    std::vector<LocationRange> ranges;
    Dwarf_Attribute memory;
    Dwarf_Attribute *attr = dwarf_attr(variable, DW_AT_location, &memory);
    if (!attr)
        return ranges;
    ptrdiff_t offset = 0;
    Dwarf_Addr start = 0, end = 0, list_base = 0;
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    for (size_t i = 0; i < max_ranges; ++i) {
        offset = dwarf_getlocations(attr, offset, &list_base, &start, &end, &ops, &count);
        if (offset <= 0)
            break;
        LocationRange range{start, end, start == 0 && end == ~Dwarf_Addr(0), {}};
        range.locations = decode(attr, ops, count, base);
        if (!range.locations.empty())
            ranges.push_back(std::move(range));
    }
    return ranges;
}

} // namespace heapstory
