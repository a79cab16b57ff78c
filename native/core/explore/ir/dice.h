// Numbers that are drawn, the same ones for the same seed on every machine.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace heapstory::explore::ir {

class Dice {
  public:
    explicit Dice(uint64_t seed) : state_(seed) {}

    // SplitMix64.
    uint64_t word() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    int32_t below(uint64_t count) { return int32_t(word() % count); }
    bool happens(int32_t percent) { return below(100) < percent; }
    // Half of the time the first of several: the newest value, the usual way.
    int32_t low(int32_t count) { return happens(50) ? 0 : below(uint64_t(count)); }

  private:
    uint64_t state_;
};

} // namespace heapstory::explore::ir
