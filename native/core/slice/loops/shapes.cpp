// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/loops/shapes.h"

#include "slice/post_dominators.h"

#include <algorithm>
#include <map>

namespace heapstory::slice {

namespace {

// The immediate dominator of every node: post-dominators of the graph turned round, in which what
// calls enter leads to the end.
std::vector<uint32_t> dominators(const FlowGraph &graph, const Successors &predecessors) {
    Successors reversed = predecessors;
    for (auto &list : reversed)
        std::erase(list, 0);
    for (uint32_t entry : graph.entries())
        reversed[entry].push_back(0);
    return post_dominators(reversed);
}

class Finder {
  public:
    Finder(const FlowGraph &graph, bool whole)
        : graph_(graph), successors_(graph.nodes()), predecessors_(graph.nodes()) {
        for (uint32_t node = 1; node < graph.nodes(); ++node)
            successors_[node] = graph.successors(node);
        for (auto [node, next] : graph.unfinished())
            if (!whole)
                successors_[node].push_back(next);
        for (uint32_t node = 1; node < graph.nodes(); ++node)
            for (uint32_t next : successors_[node])
                predecessors_[next].push_back(node);
        dominator_ = dominators(graph, predecessors_);
    }

    std::vector<LoopShape> run() {
        std::map<uint32_t, std::vector<uint32_t>> back; // to each header
        forward_.resize(graph_.nodes());
        for (uint32_t node = 1; node < graph_.nodes(); ++node)
            for (uint32_t next : successors_[node])
                if (next && dominates(next, node))
                    back[next].push_back(node);
                else
                    forward_[node].push_back(next);
        for (const auto &[header, ends] : back)
            shapes_.push_back({header, 0, true, body(header, ends), ends});
        find_irreducible();
        // Outer loops before those in them.
        std::stable_sort(shapes_.begin(), shapes_.end(), [](auto &one, auto &other) {
            return one.nodes.size() > other.nodes.size();
        });
        shapes_.insert(shapes_.begin(), LoopShape());
        return std::move(shapes_);
    }

  private:
    bool dominates(uint32_t one, uint32_t other) const {
        while (other && other != one)
            other = dominator_[other];
        return other == one;
    }

    // What leads to the ends of back edges without passing the header.
    std::vector<uint32_t> body(uint32_t header, const std::vector<uint32_t> &ends) const {
        std::vector<uint32_t> found = {header}, waiting = ends;
        std::vector<bool> &seen = seen_;
        seen.assign(graph_.nodes(), false);
        seen[header] = true;
        while (!waiting.empty()) {
            const uint32_t node = waiting.back();
            waiting.pop_back();
            if (seen[node])
                continue;
            seen[node] = true;
            found.push_back(node);
            for (uint32_t before : predecessors_[node])
                waiting.push_back(before);
        }
        std::sort(found.begin(), found.end());
        return found;
    }

    // Strongly connected components of what is left without back edges (Tarjan).
    void find_irreducible() {
        rank_.assign(graph_.nodes(), 0);
        low_.assign(graph_.nodes(), 0);
        on_stack_.assign(graph_.nodes(), false);
        for (uint32_t node = 1; node < graph_.nodes(); ++node)
            if (!rank_[node])
                connect(node);
    }

    void connect(uint32_t root) {
        std::vector<std::pair<uint32_t, size_t>> path = {{root, 0}};
        visit(root);
        while (!path.empty()) {
            auto &[node, next] = path.back();
            if (next < forward_[node].size()) {
                const uint32_t to = forward_[node][next++];
                if (to && !rank_[to]) {
                    visit(to);
                    path.push_back({to, 0});
                } else if (to && on_stack_[to])
                    low_[node] = std::min(low_[node], rank_[to]);
                continue;
            }
            const uint32_t done = node;
            path.pop_back();
            if (!path.empty())
                low_[path.back().first] = std::min(low_[path.back().first], low_[done]);
            if (low_[done] == rank_[done])
                take_component(done);
        }
    }

    void visit(uint32_t node) {
        rank_[node] = low_[node] = ++last_rank_;
        stack_.push_back(node);
        on_stack_[node] = true;
    }

    void take_component(uint32_t root) {
        std::vector<uint32_t> component;
        uint32_t node = 0;
        do {
            node = stack_.back();
            stack_.pop_back();
            on_stack_[node] = false;
            component.push_back(node);
        } while (node != root);
        if (component.size() < 2)
            return;
        std::sort(component.begin(), component.end());
        // Nodes are numbered in the order in which their blocks were first translated.
        shapes_.push_back({component.front(), 0, false, component, {}});
    }

    const FlowGraph &graph_;
    Successors successors_, predecessors_, forward_;
    std::vector<uint32_t> dominator_;
    std::vector<LoopShape> shapes_;
    mutable std::vector<bool> seen_;
    std::vector<uint32_t> rank_, low_, stack_;
    std::vector<bool> on_stack_;
    uint32_t last_rank_ = 0;
};

} // namespace

LoopShapes::LoopShapes(const FlowGraph &graph, bool whole)
    : shapes_(Finder(graph, whole).run()), innermost_(graph.nodes()), headed_(graph.nodes()) {
    for (uint32_t loop = 1; loop < shapes_.size(); ++loop) {
        shapes_[loop].parent = innermost_[shapes_[loop].header];
        headed_[shapes_[loop].header] = loop;
        for (uint32_t node : shapes_[loop].nodes)
            innermost_[node] = loop;
    }
}

} // namespace heapstory::slice
