// A backward slice with its reasons.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/backward/reasons.h"
#include "slice/backward/walk_index.h"
#include "slice/prepared.h"
#include "slice/slice.h"

#include <vector>

namespace heapstory::slice {

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

// The same slice as by `backward`, which takes longer.
Explained explain(const Prepared &prepared, const Statements &statements,
                  const Criterion &criterion, const Options &options, const Explaining &explaining,
                  WalkIndex &index, const Progress &progress = {});

} // namespace heapstory::slice
