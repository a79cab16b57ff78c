// The forward slice by one walk over the stream.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/marks.h"
#include "slice/prepared.h"
#include "slice/slice.h"

#include <cstdint>
#include <optional>

namespace heapstory::slice {

// Where a forward slice starts and how far it goes.
struct Origin {
    Criterion criterion;
    // Everything that the thread runs from the criterion's point up to this one starts the slice,
    // and is not counted.
    std::optional<Point> stretch_end;
    uint64_t last_step = ~uint64_t(0);
    // Registers that were saved before the start are known, for which the stream is walked over
    // from its beginning. Without, one that is got back may count as loaded.
    bool history = true;
};

// What an instruction's results, or what registers and memory held at a point, had influence on: a
// bit for every byte says whether it comes from there. An execution is in the slice exactly if the
// criterion is in its backward slice. It needs memory for what is influenced, however long the
// stream is. What is in the slice is added to `into`.
Slice forward(const Prepared &prepared, const Origin &origin, const Options &options,
              const Progress &progress = {}, Marks *into = nullptr);

} // namespace heapstory::slice
