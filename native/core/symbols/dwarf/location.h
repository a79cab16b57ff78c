// Where a variable is at an instruction. Internal to symbols/.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "symbols/dwarf/units.h"

namespace heapstory {

// A register, or memory at an offset from a register, the canonical frame address or nothing (an
// absolute address).
struct VariableLocation {
    enum class Kind : uint8_t { reg, memory, frame, fixed } kind;
    int reg = 0; // DWARF number
    int64_t offset = 0;
    uint64_t piece = 0; // offset within the variable
};

// The locations of a variable that hold from start up to end; pieces of it where it is split.
struct LocationRange {
    uint64_t start = 0, end = 0;
    bool everywhere = false; // as long as the variable is in scope
    std::vector<VariableLocation> locations;
};

// The canonical frame address is register + offset.
struct FrameAddress {
    int reg = 0;
    int64_t offset = 0;
};

class Frames {
  public:
    Frames(Dwarf *dwarf, const ElfImage &image) : dwarf_(dwarf), image_(image) {}
    ~Frames();
    Frames(const Frames &) = delete;
    Frames &operator=(const Frames &) = delete;
    std::optional<FrameAddress> at(uint64_t address);

  private:
    Dwarf *dwarf_;
    const ElfImage &image_;
    bool opened_ = false;
    Dwarf_CFI *eh_frame_ = nullptr;    // ours to close
    Dwarf_CFI *debug_frame_ = nullptr; // the Dwarf's
};

// The frame base of a function at an address: a location with kind memory or frame.
std::optional<VariableLocation> frame_base(Dwarf_Die *function, uint64_t address);

// All locations of a variable or parameter; those that cannot be told are left out.
std::vector<LocationRange> locations_of(Dwarf_Die *variable,
                                        const std::optional<VariableLocation> &base);

} // namespace heapstory
