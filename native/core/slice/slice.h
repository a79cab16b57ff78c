// What a slice is asked for, and what it is.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "stream/registers.h"
#include "stream/sequence.h"

#include <compare>
#include <cstdint>
#include <vector>

namespace heapstory::slice {

// A point of the run: before that instruction of the block that ran in that step.
struct Point {
    uint64_t step = 0;
    uint16_t instruction = 0;

    auto operator<=>(const Point &) const = default;
};

// Registers and memory as they are before the instruction at a point.
struct Handed {
    Point point;
    stream::RegisterSet registers; // of the thread that runs there
    std::vector<stream::Range> memory;
};

// What is looked for: registers and memory as they are before the instruction at `point`, and all
// that some instructions before it use, and what is handed over before it.
struct Criterion {
    Point point;
    stream::RegisterSet registers; // of the thread that runs there
    std::vector<stream::Range> memory;
    std::vector<Point> instructions; // in order
    std::vector<Handed> handed;      // in order

    // One instruction with all that it uses.
    static Criterion at(Point point) {
        Criterion made;
        made.point = {point.step, uint16_t(point.instruction + 1)};
        made.instructions = {point};
        return made;
    }
};

struct Options {
    bool data = true;
    bool control = true;
    // Registers saved and restored and the making of a frame pass what is looked for through.
    bool conventions = true;
    bool addresses = true; // without: a thin slice, which does not ask how a pointer came about

    bool operator==(const Options &) const = default;
};

// An instruction of a block in the slice.
struct Hit {
    uint32_t block = 0; // 0: an effect, whose number `instruction` is not
    uint16_t instruction = 0;
    uint64_t address = 0;
    uint64_t count = 0;           // of its executions
    uint64_t first = 0, last = 0; // steps
};

struct Slice {
    std::vector<Hit> hits;     // by address
    uint64_t instructions = 0; // executions in the slice
    uint64_t visited = 0;      // steps walked over
    uint64_t unresolved = 0;   // bytes of memory and registers that were there before the stream
    uint64_t signals = 0;      // whose causes, or effects, are not followed
};

} // namespace heapstory::slice
