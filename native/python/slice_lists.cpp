// Slices by the algorithms of the thesis, for Python.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice_lists.h"

#include "slice/lists.h"

#include <ctime>
#include <optional>

namespace nb = nanobind;

namespace heapstory {

namespace {

// Of this thread, so that other work on the machine does not count.
double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

struct TooLong {};

struct Timed {
    slice::ListSlice slice;
    double seconds = 0;
};

template <class Algorithm>
std::optional<Timed> timed(Algorithm algorithm, const std::vector<slice::Instance> &all,
                           double limit) {
    const double start = cpu_seconds();
    auto watch = [&] {
        if (cpu_seconds() - start > limit)
            throw TooLong();
    };
    try {
        slice::ListSlice slice = algorithm(all, watch);
        return Timed{std::move(slice), cpu_seconds() - start};
    } catch (const TooLong &) {
        return std::nullopt;
    }
}

nb::object told(const std::optional<Timed> &found) {
    if (!found)
        return nb::none();
    nb::dict result;
    result["instructions"] = found->slice.instances.size();
    result["longest_list"] = found->slice.longest_list;
    result["largest_filter"] = found->slice.largest_filter;
    result["seconds"] = found->seconds;
    return result;
}

} // namespace

nb::dict slice_by_lists(const slice::Prepared &prepared, StreamPlace place, double seconds) {
    const slice::Point last = criterion_of(prepared, place, {}).instructions.front();
    std::optional<Timed> plain, sorted, filtered;
    {
        nb::gil_scoped_release released;
        const std::vector<slice::Instance> all = slice::instances(prepared, last);
        filtered = timed(slice::algorithm5, all, seconds);
        sorted = timed(slice::algorithm4_sorted, all, seconds);
        plain = timed(slice::algorithm4, all, seconds);
    }
    nb::dict result;
    result["algorithm4"] = told(plain);
    result["algorithm4_sorted"] = told(sorted);
    result["algorithm5"] = told(filtered);
    return result;
}

} // namespace heapstory
