// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/backward/backward.h"

#include "slice/backward/no_reasons.h"
#include "slice/backward/walk.h"

namespace heapstory::slice {

Slice backward(const Prepared &prepared, const Criterion &criterion, const Options &options,
               const Progress &progress, const Marks *within) {
    NoReasons why;
    return BackwardWalk(prepared, options, why, within).run(criterion, progress);
}

Slice backward(const Prepared &prepared, const Criterion &criterion, const Options &options,
               WalkIndex &index) {
    NoReasons why;
    BackwardWalk walk(prepared, options, why);
    walk.use_index(index);
    return walk.run(criterion);
}

} // namespace heapstory::slice
