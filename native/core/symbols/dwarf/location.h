// Where a variable is at an instruction. Internal to symbols/.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "symbols/dwarf/units.h"

namespace heapstory {

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
