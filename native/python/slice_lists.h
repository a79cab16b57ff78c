// Slices by the algorithms of the thesis, for Python.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice_answers.h"

namespace heapstory {

// The algorithms of the thesis on one list of instances, each for at most so many seconds.
nanobind::dict slice_by_lists(const slice::Prepared &prepared, StreamPlace place, double seconds);

} // namespace heapstory
