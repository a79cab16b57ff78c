// The backward slice by one walk over the stream from its end.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/marks.h"
#include "slice/prepared.h"
#include "slice/backward/reasons.h"
#include "slice/slice.h"
#include "slice/backward/walk_index.h"

#include <vector>

namespace heapstory::slice {

// What the walk still looks for is a bit for every byte of registers and of memory, so that an
// instruction is asked in constant time; most blocks are passed by after a look at the registers
// they define and the places they store to. It needs memory for what the slice looks for, however
// long the stream is. Where `within` is given, the slice holds nothing else.
Slice backward(const Prepared &prepared, const Criterion &criterion, const Options &options,
               const Progress &progress = {}, const Marks *within = nullptr);

// The same with the help of earlier walks by the same options, and for later ones.
Slice backward(const Prepared &prepared, const Criterion &criterion, const Options &options,
               WalkIndex &index);

// The same with its reasons, which takes longer.
struct Explained {
    Slice slice;
    std::vector<Moment> moments; // the first is the criterion, then the later ones before others
    std::vector<Edge> edges;
    std::vector<stream::Range> unresolved; // memory that was there before the stream, by address
    bool exact = true; // false: of some statements, early executions are one moment
};

struct Explaining {
    std::vector<bool> stops; // by statement: beyond these nothing is looked for
    size_t most = 20000;     // moments

    bool operator==(const Explaining &) const = default;
};

Explained explain(const Prepared &prepared, const Statements &statements,
                  const Criterion &criterion, const Options &options, const Explaining &explaining,
                  WalkIndex &index, const Progress &progress = {});

} // namespace heapstory::slice
