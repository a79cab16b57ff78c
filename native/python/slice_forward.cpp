// What something had influence on, for Python.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice_forward.h"

#include "slice/chop.h"
#include "slice/forward.h"

namespace nb = nanobind;

namespace heapstory {

namespace {

std::pair<Table, nb::dict> answer(const slice::Slice &found) {
    nb::dict totals;
    totals["instructions"] = found.instructions;
    totals["visited"] = found.visited;
    totals["signals"] = found.signals;
    return {table_of_hits(found), totals};
}

} // namespace

std::pair<Table, nb::dict> forward_slice(const slice::Prepared &prepared, const Asked &from,
                                         const slice::Options &options) {
    const slice::Criterion criterion = criterion_of(prepared, from);
    slice::Slice found;
    {
        nb::gil_scoped_release released;
        found = slice::forward(prepared, {criterion, {}}, options);
    }
    return answer(found);
}

std::pair<Table, nb::dict> chop_between(const slice::Prepared &prepared, const Asked &from,
                                        const Asked &to, const slice::Options &options) {
    const slice::Criterion first = criterion_of(prepared, from), last = criterion_of(prepared, to);
    slice::Slice found;
    {
        nb::gil_scoped_release released;
        found = slice::chop(prepared, first, last, options);
    }
    return answer(found);
}

} // namespace heapstory
