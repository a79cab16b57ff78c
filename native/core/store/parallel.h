// Pieces of work for all cores at once.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace heapstory {

inline size_t workers() {
    return std::clamp<size_t>(std::thread::hardware_concurrency(), 1, 8);
}

// Calls work(0) .. work(count - 1), several at a time; one that fails fails the whole.
template <class Work> void in_parallel(size_t count, Work work) {
    std::vector<std::exception_ptr> failures(std::min(count, workers()));
    std::atomic<size_t> next = 0;
    auto worker = [&](size_t number) {
        try {
            for (size_t piece; (piece = next++) < count;)
                work(piece);
        } catch (...) {
            failures[number] = std::current_exception();
            next = count;
        }
    };
    {
        std::vector<std::jthread> others;
        for (size_t number = 1; number < failures.size(); ++number)
            others.emplace_back(worker, number);
        if (count)
            worker(0);
    }
    for (const auto &failure : failures)
        if (failure)
            std::rethrow_exception(failure);
}

} // namespace heapstory
