// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/nodes/node_lives.h"

namespace heapstory {

namespace {

// Allocators of the program's own may take their memory from another, which then holds their nodes.
bool is_plain(const NodeRow &row) {
    switch (row.allocator) {
    case Allocator::unknown:
    case Allocator::malloc:
    case Allocator::calloc:
    case Allocator::memalign:
    case Allocator::new_:
    case Allocator::new_array:
        return true;
    default:
        return false;
    }
}

} // namespace

// Visits the granules of a small node, counted over all pages that have any.
template <class Visit> void NodeLives::for_granules(const Life &life, Visit visit) {
    uint64_t last = (life.address + std::max<uint64_t>(life.size, 1) - 1) >> granule_bits;
    for (uint64_t granule = life.address >> granule_bits; granule <= last; ++granule) {
        uint32_t &number = pages_.get(granule / page_granules);
        if (!number)
            number = ++page_count_;
        visit((number - 1) * page_granules + granule % page_granules);
    }
}

NodeLives::NodeLives(const Store &store) {
    const NodeTable &nodes = store.nodes();
    simple_ = nodes.lineage().empty() && store.discovered().lists().empty() &&
              nodes.size() < ~uint32_t(0);
    if (!simple_)
        return;
    lives_.reserve(nodes.size() + 1);
    lives_.push_back({});
    heap_.push_back(false);
    nodes.for_each([&](uint64_t, const NodeRow &row) {
        lives_.push_back({row.address, row.size, row.birth, row.death});
        heap_.push_back(row.kind == NodeKind::heap);
        simple_ = simple_ && is_plain(row);
    });
    if (!simple_)
        return;
    for (uint32_t id = 1; id < lives_.size(); ++id) {
        const Life &life = lives_[id];
        if (life.size <= largest_small) {
            for_granules(life, [&](uint64_t granule) {
                starts_.resize(std::max<size_t>(starts_.size(), page_count_ * page_granules + 2));
                ++starts_[granule + 2];
            });
            continue;
        }
        uint64_t last = (life.address + life.size - 1) >> region_bits;
        for (uint64_t region = life.address >> region_bits; region <= last; ++region)
            large_[region].push_back(id);
    }
    starts_.resize(std::max<size_t>(starts_.size(), 2));
    for (size_t i = 1; i < starts_.size(); ++i)
        starts_[i] += starts_[i - 1];
    small_.resize(starts_.back());
    // Each start moves to its end, which is the start of the next.
    for (uint32_t id = 1; id < lives_.size(); ++id)
        if (lives_[id].size <= largest_small)
            for_granules(lives_[id],
                         [&](uint64_t granule) { small_[starts_[granule + 1]++] = id; });
}

} // namespace heapstory
