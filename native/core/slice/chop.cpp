// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/chop.h"

#include "slice/backward/backward.h"
#include "slice/forward.h"

namespace heapstory::slice {

Slice chop(const Prepared &prepared, const Criterion &from, const Criterion &to,
           const Options &options, const Progress &progress) {
    Marks reached(prepared);
    const Slice first = forward(prepared, {from, {}, to.point.step}, options, progress, &reached);
    Slice made = backward(prepared, to, options, progress, &reached);
    made.signals += first.signals;
    return made;
}

} // namespace heapstory::slice
