// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/loops/edges.h"

#include <algorithm>

namespace heapstory::slice {

using stream::Operation;

LoopEdges::LoopEdges(const std::unordered_set<uint64_t> &keys,
                     std::span<const Operation> operations)
    : operations_(operations) {
    for (uint64_t key : keys) {
        const LoopEdge edge = LoopEdge::of(key);
        into_[edge.to].push_back({edge.from, edge.address});
        out_of_[edge.from].push_back({edge.to, edge.address});
    }
}

Site LoopEdges::induction(Site maker) const {
    Site site = maker;
    for (size_t i = 0; i <= into_.size(); ++i) {
        const Operation operation = operations_[site];
        auto makers = into_.find(site);
        if ((operation != Operation::move && operation != Operation::sum) ||
            makers == into_.end() || makers->second.size() != 1 || makers->second.front().second)
            return 0;
        if (makers->second.front().first == maker)
            return site;
        site = makers->second.front().first;
    }
    return 0;
}

bool LoopEdges::is_reduction(Site maker) const {
    Site site = maker;
    Operation found = Operation::move;
    for (size_t i = 0; i <= out_of_.size(); ++i) {
        auto users = out_of_.find(site);
        if (users == out_of_.end() || users->second.size() != 1 || users->second.front().second)
            return false;
        site = users->second.front().first;
        const Operation operation = operations_[site];
        if (operation != Operation::move) {
            if (operation == Operation::other || (found != Operation::move && found != operation))
                return false;
            found = operation;
        }
        if (site == maker)
            return found != Operation::move;
    }
    return false;
}

void LoopEdges::close(const Links &links, std::set<Site> &sites) {
    std::vector<Site> waiting(sites.begin(), sites.end());
    while (!waiting.empty()) {
        auto found = links.find(waiting.back());
        waiting.pop_back();
        if (found == links.end())
            continue;
        for (auto [site, address] : found->second)
            if (sites.insert(site).second)
                waiting.push_back(site);
    }
}

bool LoopEdges::depends_on_data(Site branch, const std::set<Site> &carried) const {
    std::set<Site> varying = carried, behind = {branch};
    close(out_of_, varying);
    close(into_, behind);
    return std::any_of(behind.begin(), behind.end(), [&](Site site) {
        auto makers = into_.find(site);
        return makers != into_.end() &&
               std::any_of(makers->second.begin(), makers->second.end(),
                           [&](auto &maker) { return maker.second && varying.count(maker.first); });
    });
}

} // namespace heapstory::slice
