// The backward slice by one walk over the stream from its end.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/prepared.h"
#include "slice/slice.h"

namespace heapstory::slice {

// What the walk still looks for is a bit for every byte of registers and of memory, so that an
// instruction is asked in constant time; most blocks are passed by after a look at the registers
// they define and the places they store to. It needs memory for what the slice looks for, however
// long the stream is.
Slice backward(const Prepared &prepared, const Criterion &criterion, const Options &options,
               const Progress &progress = {});

} // namespace heapstory::slice
