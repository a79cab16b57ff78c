// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/edges/lost.h"

#include "graph/edges/edges.h"

#include <algorithm>

namespace heapstory {

namespace {

// The live pointers of a graph by the index of the node that holds them.
struct Links {
    struct Link {
        uint32_t target = 0; // index
        bool inside = false; // points behind the target's start, and not to a part of it
        uint8_t part = 0;
    };
    Values<Link> targets;
    Values<uint64_t> first; // by index, and the end
    std::vector<Link> from_roots;

    std::span<const Link> of(uint32_t index) const {
        return {targets.data() + first[index], size_t(first[index + 1] - first[index])};
    }

    Links(std::span<const GraphNode> nodes, const Batches &edges, const Judging &judging = {});
};

Links::Links(std::span<const GraphNode> nodes, const Batches &edges, const Judging &judging) {
    uint64_t last = 0;
    for (const GraphNode &node : nodes)
        last = std::max(last, node.id);
    Values<uint32_t> index_of(last + 1); // by id; 1 + index
    for (uint32_t index = 0; index < nodes.size(); ++index)
        index_of[nodes[index].id] = index + 1;

    first.reserve(nodes.size() + 1);
    for (const auto &batch : edges) {
        const auto &sources = (*batch)[EdgeColumn::source].numbers;
        const auto &ids = (*batch)[EdgeColumn::target].numbers;
        const auto &offsets = (*batch)[EdgeColumn::target_offset].numbers;
        const auto &states = (*batch)[EdgeColumn::state].codes;
        for (size_t row = 0; row < batch->rows(); ++row) {
            if (EdgeState(states[row]) != EdgeState::live || ids[row] > last || !index_of[ids[row]])
                continue;
            if (!judging.ignored.empty() && judging.ignored.contains(sources[row]))
                continue;
            Link target{index_of[ids[row]] - 1,
                        offsets[row] != 0 && !judging.hidden.contains(ids[row])};
            if (target.inside && !judging.parts.empty()) {
                auto part = judging.parts.find(nodes[target.target].row.address + offsets[row]);
                if (part != judging.parts.end())
                    target = {target.target, false, part->second};
            }
            if (sources[row] > last) {
                from_roots.push_back(target);
                continue;
            }
            first.resize(std::max<size_t>(first.size(), index_of[sources[row]]), targets.size());
            targets.push_back(target);
        }
    }
    first.resize(nodes.size() + 1, targets.size());
}

// Which nodes have been come to, and from which of them to go on.
class Walk {
  public:
    Walk(const Links &links, size_t nodes) : links_(links), reached_(nodes) {}

    bool has(uint32_t index) const { return reached_[index]; }
    void reach(uint32_t index) {
        if (!reached_[index]) {
            reached_[index] = true;
            todo_.push_back(index);
        }
    }
    // From what was reached, by the links that `follows` says.
    template <class Follows> void go(Follows follows) {
        while (!todo_.empty()) {
            uint32_t at = todo_.back();
            todo_.pop_back();
            for (Links::Link link : links_.of(at))
                if (follows(link))
                    reach(link.target);
        }
    }

  private:
    const Links &links_;
    std::vector<bool> reached_;
    std::vector<uint32_t> todo_;
};

template <class Follows>
void reach_from_roots(Walk &walk, const Links &links, std::span<const GraphNode> nodes,
                      Follows follows) {
    for (Links::Link link : links.from_roots)
        if (follows(link))
            walk.reach(link.target);
    for (uint32_t index = 0; index < nodes.size(); ++index)
        if (nodes[index].row.kind == NodeKind::global)
            walk.reach(index);
    walk.go(follows);
}

bool always(Links::Link) {
    return true;
}
bool to_start(Links::Link link) {
    return !link.inside;
}

// Of nodes that nothing leads to: those that other such nodes lead to are indirect leaks, all but
// the oldest of a ring.
void find_indirect(const Links &links, std::span<const GraphNode> nodes, const Judging &judging,
                   std::vector<Reach> &made) {
    std::vector<uint32_t> lost;
    for (uint32_t index = 0; index < nodes.size(); ++index)
        if (made[index] == Reach::leak)
            lost.push_back(index);
    std::ranges::sort(lost, {}, [&](uint32_t index) { return nodes[index].id; });
    Walk walk(links, nodes.size());
    for (uint32_t head : lost) {
        if (walk.has(head) || judging.hidden.contains(nodes[head].id))
            continue;
        walk.reach(head);
        walk.go([&](Links::Link link) {
            if (made[link.target] == Reach::leak && link.target != head)
                made[link.target] = Reach::indirect_leak;
            return made[link.target] == Reach::indirect_leak;
        });
    }
}

// Of reachable nodes that only pointers to a part of them lead to: which part.
void find_parts(const Links &links, size_t count, const Walk &sure, std::vector<Judged> &judged) {
    std::vector<bool> started(count);
    auto follow = [&](Links::Link link) {
        if (!link.inside && !link.part)
            started[link.target] = true;
        else if (link.part)
            judged[link.target].part = link.part;
    };
    std::ranges::for_each(links.from_roots, follow);
    for (uint32_t index = 0; index < count; ++index)
        if (sure.has(index))
            std::ranges::for_each(links.of(index), follow);
    for (uint32_t index = 0; index < count; ++index)
        if (started[index] || judged[index].reach != Reach::reachable)
            judged[index].part = 0;
}

} // namespace

void find_lost(std::span<GraphNode> nodes, const Batches &edges) {
    Links links(nodes, edges);
    Walk walk(links, nodes.size());
    reach_from_roots(walk, links, nodes, always);
    for (uint32_t index = 0; index < nodes.size(); ++index)
        nodes[index].lost = !walk.has(index) && nodes[index].alive();
}

std::vector<Judged> classify(std::span<const GraphNode> nodes, const Batches &edges,
                             const Judging &judging) {
    Links links(nodes, edges, judging);
    std::vector<Reach> made(nodes.size(), Reach::leak);
    Walk sure(links, nodes.size()), any(links, nodes.size());
    reach_from_roots(sure, links, nodes, to_start);
    reach_from_roots(any, links, nodes, always);
    auto possible = [&](Links::Link link) {
        if (link.inside && !sure.has(link.target))
            made[link.target] = Reach::possible;
    };
    for (uint32_t index = 0; index < nodes.size(); ++index)
        if (any.has(index))
            made[index] = sure.has(index) ? Reach::reachable : Reach::possible_indirect;
    std::ranges::for_each(links.from_roots, possible);
    for (uint32_t index = 0; index < nodes.size(); ++index)
        if (sure.has(index))
            std::ranges::for_each(links.of(index), possible);
    find_indirect(links, nodes, judging, made);
    std::vector<Judged> judged(nodes.size());
    for (uint32_t index = 0; index < nodes.size(); ++index)
        judged[index].reach = made[index];
    find_parts(links, nodes.size(), sure, judged);
    return judged;
}

} // namespace heapstory
