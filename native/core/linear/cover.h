// How many spans cover each slot of a line, with removal: a segment tree.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heapstory {

class Cover {
  public:
    // Slots begin … end-1.
    struct Run {
        size_t begin, end;
    };

    explicit Cover(size_t slots) : slots_(slots), change_(slots + 1) {
        while (size_ < slots)
            size_ *= 2;
    }

    // Before build(): one span more.
    void preset(Run run) {
        ++change_[run.begin];
        --change_[run.end];
    }

    void build() {
        nodes_.resize(2 * size_);
        int32_t total = 0;
        for (size_t i = 0; i < slots_; ++i) {
            total += change_[i];
            nodes_[size_ + i] = {total, total, 0};
        }
        for (size_t i = size_ - 1; i > 0; --i)
            gather(i);
    }

    // One span less.
    void remove(Run run) { remove(1, {0, size_}, run); }

    // Appends the maximal covered runs within `run`.
    void covered(Run run, std::vector<Run> &found) const {
        for (size_t at = run.begin; at < run.end;) {
            size_t begin = next(1, {0, size_}, {at, run.end}, true, 0);
            if (begin >= run.end)
                break;
            at = next(1, {0, size_}, {begin, run.end}, false, 0);
            found.push_back({begin, at});
        }
    }

  private:
    struct Node {
        int32_t least = 0, most = 0, added = 0; // added: to all below, and to these two already
    };

    void gather(size_t node) {
        const Node &left = nodes_[2 * node], &right = nodes_[2 * node + 1];
        Node &here = nodes_[node];
        here.least = std::min(left.least, right.least) + here.added;
        here.most = std::max(left.most, right.most) + here.added;
    }

    void remove(size_t node, Run at, Run run) {
        if (run.begin <= at.begin && at.end <= run.end) {
            --nodes_[node].least;
            --nodes_[node].most;
            --nodes_[node].added;
            return;
        }
        size_t middle = (at.begin + at.end) / 2;
        if (run.begin < middle)
            remove(2 * node, {at.begin, middle}, run);
        if (run.end > middle)
            remove(2 * node + 1, {middle, at.end}, run);
        gather(node);
    }

    // The first slot of `run` that is covered (or is not), or its end.
    size_t next(size_t node, Run at, Run run, bool wanted, int32_t added) const {
        const Node &here = nodes_[node];
        bool none = wanted ? here.most + added <= 0 : here.least + added > 0;
        if (none || at.end <= run.begin || at.begin >= run.end)
            return run.end;
        if (at.end - at.begin == 1)
            return at.begin;
        size_t middle = (at.begin + at.end) / 2;
        added += here.added;
        size_t found = next(2 * node, {at.begin, middle}, run, wanted, added);
        if (found < run.end)
            return found;
        return next(2 * node + 1, {middle, at.end}, run, wanted, added);
    }

    size_t slots_, size_ = 1;
    std::vector<int32_t> change_;
    std::vector<Node> nodes_;
};

} // namespace heapstory
