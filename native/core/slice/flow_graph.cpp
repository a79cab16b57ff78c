// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/flow_graph.h"

#include "slice/post_dominators.h"

#include <unordered_set>

namespace heapstory::slice {

using stream::Branch;
using stream::Effects;
using stream::Flow;
using stream::Instruction;

// Finds where nodes begin, then makes them and their edges.
class FlowGraphBuilder {
  public:
    FlowGraphBuilder(FlowGraph &graph, const stream::Source &source,
                     const std::vector<Effects> &effects, const Code &code)
        : graph_(graph), source_(source), effects_(effects), code_(code) {}

    void run(const Transitions &transitions) {
        find_leaders();
        explore();
        new_node(0);
        divide_blocks();
        for (uint64_t key : transitions)
            follow(Transition::of(key));
        other_sides();
        connect_unexecuted();
        for (auto &list : graph_.successors_)
            sort_out(list);
        sort_out(graph_.entries_);
    }

  private:
    static void sort_out(std::vector<uint32_t> &list) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }

    void find_leaders() {
        for (uint32_t id = 1; id <= source_.blocks(); ++id) {
            const Effects &effects = effects_[id];
            for (const Instruction &one : effects.instructions) {
                executed_.insert(one.address);
                if (one.branch != Branch::conditional)
                    continue;
                leaders_.insert(one.target);
                leaders_.insert(one.address + one.length);
            }
            if (!effects.instructions.empty())
                leaders_.insert(effects.instructions.front().address);
            for (const stream::Exit &exit : source_.block(id).exits)
                if (exit.instruction + 1u < effects.instructions.size())
                    leaders_.insert(effects.instructions[exit.instruction + 1u].address);
        }
    }

    // Decodes what was never executed but is the other side of a branch, up to code that was.
    void explore() {
        std::vector<uint64_t> waiting;
        for (uint64_t leader : leaders_)
            if (!executed_.count(leader))
                waiting.push_back(leader);
        while (!waiting.empty()) {
            uint64_t from = waiting.back();
            waiting.pop_back();
            if (!unexecuted_.count(from))
                explore(from, waiting);
        }
    }

    void explore(uint64_t from, std::vector<uint64_t> &waiting) {
        std::vector<uint64_t> &next = unexecuted_[from];
        uint64_t at = from;
        for (unsigned i = 0; i < longest; ++i) {
            Flow flow = stream::flow_of(code_ ? code_(at) : std::span<const uint8_t>(), at);
            at += flow.length;
            if (!flow.length || flow.branch == Branch::ret || flow.branch == Branch::indirect)
                return;
            if (flow.branch == Branch::jump || flow.branch == Branch::conditional)
                reach(flow.target, next, waiting);
            if (flow.branch == Branch::jump)
                return;
            if (flow.branch == Branch::conditional || executed_.count(at) || leaders_.count(at)) {
                reach(at, next, waiting);
                return;
            }
        }
    }

    void reach(uint64_t target, std::vector<uint64_t> &next, std::vector<uint64_t> &waiting) {
        next.push_back(target);
        leaders_.insert(target);
        if (!executed_.count(target))
            waiting.push_back(target);
    }

    uint32_t new_node(uint64_t address) {
        graph_.address_.push_back(address);
        graph_.successors_.emplace_back();
        return uint32_t(graph_.address_.size() - 1);
    }

    uint32_t node_at(uint64_t address) {
        auto [found, is_new] = graph_.starts_.try_emplace(address, 0);
        if (is_new)
            found->second = new_node(address);
        return found->second;
    }

    void divide_blocks() {
        graph_.first_part_.assign(2, 0);
        for (uint32_t id = 1; id <= source_.blocks(); ++id) {
            const auto &instructions = effects_[id].instructions;
            for (size_t i = 0; i < instructions.size(); ++i) {
                if (i == 0 || leaders_.count(instructions[i].address))
                    graph_.parts_.push_back({node_at(instructions[i].address), 0});
                graph_.parts_.back().end = uint16_t(i + 1);
            }
            graph_.first_part_.push_back(uint32_t(graph_.parts_.size()));
        }
    }

    void add_edge(uint32_t from, uint32_t to) { graph_.successors_[from].push_back(to); }

    void follow(Transition transition) {
        if (!transition.block) {
            if (auto parts = graph_.parts(transition.next); !parts.empty())
                graph_.entries_.push_back(parts.front().node);
            return;
        }
        uint32_t last = 0;
        size_t instructions = effects_[transition.block].instructions.size();
        const auto &exits = source_.block(transition.block).exits;
        if (transition.exit < exits.size())
            instructions = exits[transition.exit].instruction + 1u;
        for (const BlockPart &part : graph_.parts(transition.block)) {
            if (last)
                add_edge(last, part.node);
            last = part.node;
            if (part.end >= instructions)
                break;
        }
        if (!last || transition.exit == stream::broke_off || transition.next == Transition::unknown)
            return;
        auto next = graph_.parts(transition.next);
        add_edge(last, next.empty() ? 0 : next.front().node);
    }

    void other_sides() {
        for (uint32_t id = 1; id <= source_.blocks(); ++id)
            for (const BlockPart &part : graph_.parts(id)) {
                const Instruction &last = effects_[id].instructions[part.end - 1u];
                if (last.branch != Branch::conditional)
                    continue;
                add_edge(part.node, node_at(last.target));
                add_edge(part.node, node_at(last.address + last.length));
            }
    }

    void connect_unexecuted() {
        for (const auto &[from, next] : unexecuted_) {
            uint32_t node = node_at(from);
            for (uint64_t target : next)
                add_edge(node, node_at(target));
        }
    }

    static constexpr unsigned longest = 4096; // instructions of unexecuted code without a branch

    FlowGraph &graph_;
    const stream::Source &source_;
    const std::vector<Effects> &effects_;
    const Code &code_;
    std::unordered_set<uint64_t> executed_, leaders_;
    std::unordered_map<uint64_t, std::vector<uint64_t>> unexecuted_;
};

FlowGraph::FlowGraph(const stream::Source &source, const std::vector<Effects> &effects,
                     const Transitions &transitions, const Code &code) {
    FlowGraphBuilder(*this, source, effects, code).run(transitions);
    post_dominator_ = post_dominators(successors_);
    controllers_ = control_dependences(successors_, post_dominator_);
}

} // namespace heapstory::slice
