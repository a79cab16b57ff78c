// The backward slice by one walk over the stream from its end.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/backward/walk_index.h"
#include "slice/marks.h"
#include "slice/prepared.h"
#include "slice/slice.h"

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

} // namespace heapstory::slice
