// A future of the structure in which one hypothesis after the other is true.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// It begins, at 1, with the structure as it is at the C-point. At moment(i) hypothesis i is true,
// and just after that it is taken back. So the spans of the answers say which objects a hypothesis
// touches.
#pragma once

#include "constraints/hypotheses/situation.h"

namespace heapstory::constraints {

inline uint64_t moment(size_t hypothesis) {
    return 2 + 2 * hypothesis;
}

Timeline make_future(const Situation &at, const Hypotheses &hypotheses);

} // namespace heapstory::constraints
