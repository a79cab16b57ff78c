// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/backward/explain.h"

#include "slice/backward/walk.h"

#include <algorithm>

namespace heapstory::slice {

namespace {

std::vector<stream::Range> ranges_of(const LiveMemory &memory) {
    std::vector<stream::Range> all;
    memory.each_byte([&](uint64_t address) {
        if (!all.empty() && all.back().address + all.back().size == address)
            ++all.back().size;
        else
            all.push_back({address, 1});
    });
    std::ranges::sort(all, {}, &stream::Range::address);
    return all;
}

} // namespace

Explained explain(const Prepared &prepared, const Statements &statements,
                  const Criterion &criterion, const Options &options, const Explaining &explaining,
                  WalkIndex &index, const Progress &progress) {
    Reasons why(prepared, statements, explaining.stops, explaining.most);
    BackwardWalk walk(prepared, options, why);
    walk.use_index(index);
    Explained made;
    made.slice = walk.run(criterion, progress);
    ReasonsWhole whole;
    const Checkpoint *last = nullptr;
    for (const Checkpoint *at = walk.points(); at; at = at->next.get()) {
        whole.add(at->reasons);
        last = at;
    }
    made.exact = whole.is_exact();
    made.moments = whole.take_moments();
    made.edges = whole.take_edges();
    made.unresolved = ranges_of(last->left);
    return made;
}

} // namespace heapstory::slice
