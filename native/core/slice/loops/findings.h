// What has been found out about each loop, and what becomes of it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/loops/edges.h"
#include "slice/loops/iterations.h"
#include "slice/loops/loop.h"
#include "slice/loops/shapes.h"
#include "slice/loops/sites.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace heapstory::slice {

struct LoopFindings {
    // The first time that there were two iterations.
    struct Sample {
        Point first, second;
        uint64_t last_step = 0;
    };
    uint64_t entered = 0, iterations = 0;
    bool entered_before = false, goes_on = false;     // as of Loop
    std::unordered_map<uint64_t, Carried> flow, anti; // by maker and user
    // How often a site wrote over what it had written in an earlier iteration.
    std::unordered_map<Site, uint64_t> rewritten;
    std::map<Site, uint64_t> exits;     // how often each branch left the loop
    std::unordered_set<uint64_t> edges; // keys
    std::set<uint32_t> inner;           // loops that ran in it
    std::optional<Sample> sample;

    static void note(std::unordered_map<uint64_t, Carried> &in, Site from, Site to,
                     const Carried &one) {
        auto [found, is_new] = in.try_emplace(uint64_t(from) << 32 | to, one);
        if (is_new)
            return;
        Carried &all = found->second;
        all.least = std::min(all.least, one.least);
        all.most = std::max(all.most, one.most);
        all.count += one.count;
    }
};

// The findings of all loops (by number) as they are told, without forward slices.
std::vector<Loop> told_loops(const Prepared &prepared, const LoopShapes &shapes,
                             const LoopSites &sites, const std::vector<LoopFindings> &findings);

} // namespace heapstory::slice
