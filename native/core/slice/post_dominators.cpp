// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/post_dominators.h"

#include <algorithm>

namespace heapstory::slice {

namespace {

constexpr uint32_t none = ~uint32_t(0);

class PostDominators {
  public:
    explicit PostDominators(const Successors &successors)
        : successors_(successors), predecessors_(successors.size()), rank_(successors.size(), none),
          result_(successors.size(), none), endless_(successors.size(), false) {
        for (uint32_t node = 1; node < successors.size(); ++node) {
            for (uint32_t next : successors[node])
                predecessors_[next].push_back(node);
            if (successors[node].empty())
                predecessors_[0].push_back(node);
        }
    }

    std::vector<uint32_t> run() {
        number_from(0);
        // What no way leads out of: an endless loop gets one.
        for (uint32_t node = 1; node < successors_.size(); ++node)
            if (rank_[node] == none) {
                endless_[node] = true;
                number_from(node);
            }
        std::reverse(order_.begin(), order_.end());
        // The end comes first, as if it led back to the endless loops as well.
        auto end = std::find(order_.begin(), order_.end(), 0);
        std::rotate(order_.begin(), end, end + 1);
        for (uint32_t i = 0; i < order_.size(); ++i)
            rank_[order_[i]] = i;
        result_[0] = 0;
        while (sweep())
            ;
        return std::move(result_);
    }

  private:
    // Numbers what leads to `root`, in postorder over the edges turned round.
    void number_from(uint32_t root) {
        std::vector<std::pair<uint32_t, size_t>> path = {{root, 0}};
        rank_[root] = 0;
        while (!path.empty()) {
            auto &[node, next] = path.back();
            if (next == predecessors_[node].size()) {
                order_.push_back(node);
                path.pop_back();
                continue;
            }
            uint32_t before = predecessors_[node][next++];
            if (rank_[before] == none) {
                rank_[before] = 0;
                path.push_back({before, 0});
            }
        }
    }

    bool sweep() {
        bool changed = false;
        for (uint32_t node : order_) {
            if (node == 0)
                continue;
            uint32_t best = successors_[node].empty() || endless_[node] ? 0 : none;
            for (uint32_t next : successors_[node])
                if (result_[next] != none)
                    best = best == none ? next : common(best, next);
            if (best != none && result_[node] != best) {
                result_[node] = best;
                changed = true;
            }
        }
        return changed;
    }

    uint32_t common(uint32_t one, uint32_t other) const {
        while (one != other) {
            while (rank_[one] > rank_[other])
                one = result_[one];
            while (rank_[other] > rank_[one])
                other = result_[other];
        }
        return one;
    }

    const Successors &successors_;
    Successors predecessors_;
    std::vector<uint32_t> rank_, result_, order_;
    std::vector<bool> endless_;
};

} // namespace

std::vector<uint32_t> post_dominators(const Successors &successors) {
    return PostDominators(successors).run();
}

std::vector<std::vector<uint32_t>>
control_dependences(const Successors &successors, const std::vector<uint32_t> &post_dominator) {
    std::vector<std::vector<uint32_t>> result(successors.size());
    for (uint32_t node = 1; node < successors.size(); ++node) {
        if (successors[node].size() < 2)
            continue;
        for (uint32_t next : successors[node])
            for (uint32_t at = next; at != 0 && at != post_dominator[node]; at = post_dominator[at])
                result[at].push_back(node);
    }
    for (auto &list : result) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return result;
}

} // namespace heapstory::slice
