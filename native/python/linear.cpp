// SPDX-License-Identifier: GPL-2.0-or-later
#include "linear.h"

#include "linear/nesting.h"

#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace heapstory;

namespace {

// The first value that cannot be nested, -1: all can, -2: out of time.
int64_t nest_values(const std::vector<int64_t> &push_begin, const std::vector<int64_t> &push_end,
                    const std::vector<int64_t> &pop_begin, const std::vector<int64_t> &pop_end,
                    double seconds) {
    std::vector<Lifetime> values(push_begin.size());
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = {push_begin[i], push_end.at(i), pop_begin.at(i), pop_end.at(i)};
    nb::gil_scoped_release released;
    Nesting found = nest(values, seconds);
    if (found.outcome == Nesting::impossible)
        return int64_t(found.value);
    return found.outcome == Nesting::possible ? -1 : -2;
}

} // namespace

void bind_linear(nb::module_ &m) {
    m.attr("ENDLESS") = endless;
    m.def("nest", &nest_values, "push_begin"_a, "push_end"_a, "pop_begin"_a, "pop_end"_a,
          "seconds"_a);
}
