// What something had influence on, for Python.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice_answers.h"

namespace heapstory {

// What something had influence on, and what passed the influence on from one place to another: the
// rows of the slice, and its totals.
std::pair<Table, nanobind::dict> forward_slice(const slice::Prepared &prepared, const Asked &from,
                                               const slice::Options &options);
std::pair<Table, nanobind::dict> chop_between(const slice::Prepared &prepared, const Asked &from,
                                              const Asked &to, const slice::Options &options);

} // namespace heapstory
