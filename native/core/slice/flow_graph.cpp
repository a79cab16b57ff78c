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
        tell_generations();
        find_leaders();
        find_unfinished(transitions);
        explore();
        new_node(0);
        divide_blocks();
        for (uint64_t key : transitions)
            follow(Transition::of(key));
        other_sides();
        connect_unexecuted();
        for (auto [block, next] : unfinished_)
            graph_.unfinished_.push_back({graph_.parts(block).back().node, node_at(next)});
        for (auto &list : graph_.successors_)
            sort_out(list);
        find_jumps_anywhere();
        find_open_calls();
        sort_out(graph_.entries_);
        for (auto [place, node] : nodes_)
            if (auto [found, is_new] = graph_.starts_.try_emplace(address_of(place), node); !is_new)
                found->second = 0;
    }

  private:
    // An address and in the upper bits the generation of the code there: 0 is what ran there first.
    using Place = uint64_t;
    static constexpr unsigned address_bits = 48;
    static uint64_t address_of(Place place) { return place & ((uint64_t(1) << address_bits) - 1); }
    static Place place_of(uint64_t address, uint64_t generation) {
        return address | generation << address_bits;
    }

    static void sort_out(std::vector<uint32_t> &list) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }

    // A block whose code is another than what ran at one of its addresses is of a new generation,
    // or of that in which there is the same code.
    void tell_generations() {
        generation_.assign(source_.blocks() + 1, 0);
        graph_.changed_.assign(source_.blocks() + 1, false);
        for (uint32_t id = 1; id <= source_.blocks(); ++id) {
            while (generation_[id] < 0x7fff && differs(id))
                ++generation_[id];
            for (const Instruction &one : effects_[id].instructions)
                executed_.try_emplace(place_of(one.address, generation_[id]), code_of(id, one));
            latest_ = std::max(latest_, generation_[id]);
        }
        for (uint32_t id = 1; latest_ && id <= source_.blocks(); ++id)
            for (const Instruction &one : effects_[id].instructions)
                for (uint64_t other = 0; other <= latest_; ++other)
                    if (other != generation_[id] && executed_.count(place_of(one.address, other)))
                        graph_.changed_[id] = true;
    }

    bool differs(uint32_t id) const {
        for (const Instruction &one : effects_[id].instructions) {
            auto found = executed_.find(place_of(one.address, generation_[id]));
            if (found != executed_.end() && !std::ranges::equal(found->second, code_of(id, one)))
                return true;
        }
        return false;
    }

    std::span<const uint8_t> code_of(uint32_t id, const Instruction &one) const {
        const stream::Block &block = source_.block(id);
        return std::span(block.code).subspan(one.address - block.address, one.length);
    }

    // Where a branch of some code leads to: code of its generation, or what was there before.
    Place target_of(uint64_t address, uint64_t generation) const {
        for (uint64_t at = generation; at > 0; --at)
            if (executed_.count(place_of(address, at)))
                return place_of(address, at);
        return place_of(address, 0);
    }

    void find_leaders() {
        for (uint32_t id = 1; id <= source_.blocks(); ++id) {
            const Effects &effects = effects_[id];
            const uint64_t generation = generation_[id];
            auto lead = [&](uint64_t address) { leaders_.insert(target_of(address, generation)); };
            for (const Instruction &one : effects.instructions) {
                if (one.branch != Branch::conditional)
                    continue;
                lead(one.target);
                lead(one.address + one.length);
            }
            if (!effects.instructions.empty())
                lead(effects.instructions.front().address);
            for (const stream::Exit &exit : source_.block(id).exits)
                if (exit.instruction + 1u < effects.instructions.size())
                    lead(effects.instructions[exit.instruction + 1u].address);
        }
    }

    void find_unfinished(const Transitions &transitions) {
        for (uint64_t key : transitions) {
            const Transition one = Transition::of(key);
            if (one.next != Transition::unknown || one.exit != stream::ran_to_end ||
                effects_[one.block].instructions.empty())
                continue;
            const Instruction &last = effects_[one.block].instructions.back();
            if (last.branch == Branch::ret || last.branch == Branch::indirect)
                continue;
            const uint64_t next =
                last.branch == Branch::jump ? last.target : last.address + last.length;
            const Place place = target_of(next, generation_[one.block]);
            leaders_.insert(place);
            unfinished_.push_back({one.block, place});
        }
    }

    // Decodes what was never executed but is the other side of a branch, up to code that was.
    void explore() {
        std::vector<Place> waiting;
        for (Place leader : leaders_)
            if (!executed_.count(leader))
                waiting.push_back(leader);
        while (!waiting.empty()) {
            Place from = waiting.back();
            waiting.pop_back();
            if (!unexecuted_.count(from))
                explore(from, waiting);
        }
    }

    // The bytes of what was not executed are known of the program's own files, which are what ran
    // first.
    void explore(Place from, std::vector<Place> &waiting) {
        std::vector<Place> &next = unexecuted_[from];
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

    void reach(Place target, std::vector<Place> &next, std::vector<Place> &waiting) {
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

    uint32_t node_at(Place place) {
        auto [found, is_new] = nodes_.try_emplace(place, 0);
        if (is_new)
            found->second = new_node(address_of(place));
        return found->second;
    }

    void divide_blocks() {
        graph_.first_part_.assign(2, 0);
        for (uint32_t id = 1; id <= source_.blocks(); ++id) {
            const auto &instructions = effects_[id].instructions;
            for (size_t i = 0; i < instructions.size(); ++i) {
                const Place place = place_of(instructions[i].address, generation_[id]);
                if (i == 0 || leaders_.count(place))
                    graph_.parts_.push_back({node_at(place), 0});
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
                for (uint64_t side : {last.target, last.address + last.length})
                    add_edge(part.node, node_at(target_of(side, generation_[id])));
            }
    }

    void connect_unexecuted() {
        for (const auto &[from, next] : unexecuted_) {
            uint32_t node = node_at(from);
            for (Place target : next)
                add_edge(node, node_at(target));
        }
    }

    // A pointer to code led to one place: with another value it would have led elsewhere. The jump
    // by which a switch goes to its cases needs no such thing if a check of the range leads to it,
    // which depends on the same value.
    void find_jumps_anywhere() {
        graph_.goes_anywhere_.assign(graph_.successors_.size(), false);
        std::vector<std::vector<uint32_t>> before(graph_.successors_.size());
        for (uint32_t node = 1; node < graph_.successors_.size(); ++node)
            for (uint32_t next : graph_.successors_[node])
                before[next].push_back(node);
        for (uint32_t id = 1; id <= source_.blocks(); ++id) {
            const auto &all = effects_[id].instructions;
            if (all.empty() || all.back().branch != Branch::indirect ||
                all.back().role == stream::Role::link || all.back().role == stream::Role::resolve)
                continue;
            const uint32_t node = graph_.parts(id).back().node;
            const bool checked =
                before[node].size() == 1 && graph_.successors_[before[node].front()].size() > 1;
            graph_.goes_anywhere_[node] = graph_.successors_[node].size() == 1 &&
                                          !(checked && stream::jumps_by_table(source_.block(id)));
        }
    }

    void find_open_calls() {
        std::vector<uint32_t> open(source_.blocks() + 1);
        bool any = false;
        for (uint32_t id = 1; id <= source_.blocks(); ++id) {
            const auto &all = effects_[id].instructions;
            if (all.empty() || all.back().branch != Branch::call)
                continue;
            const uint32_t node = graph_.parts(id).back().node;
            if (graph_.successors_[node].size() < 2)
                continue;
            open[id] = node;
            any = true;
        }
        if (any)
            graph_.open_calls_ = std::move(open);
    }

    static constexpr unsigned longest = 4096; // instructions of unexecuted code without a branch

    FlowGraph &graph_;
    const stream::Source &source_;
    const std::vector<Effects> &effects_;
    const Code &code_;
    std::vector<uint64_t> generation_; // by block
    uint64_t latest_ = 0;
    std::unordered_map<Place, std::span<const uint8_t>> executed_; // instructions and their code
    std::unordered_set<Place> leaders_;
    std::vector<std::pair<uint32_t, Place>> unfinished_; // block, and what would come next
    std::unordered_map<Place, std::vector<Place>> unexecuted_;
    std::unordered_map<Place, uint32_t> nodes_;
};

FlowGraph::FlowGraph(const stream::Source &source, const std::vector<Effects> &effects,
                     const Transitions &transitions, const Code &code) {
    FlowGraphBuilder(*this, source, effects, code).run(transitions);
    std::vector<std::vector<uint32_t>> ways = successors_;
    for (uint32_t node = 0; node < nodes(); ++node)
        if (goes_anywhere_[node])
            ways[node].insert(ways[node].begin(), 0);
    post_dominator_ = post_dominators(ways);
    controllers_ = control_dependences(ways, post_dominator_);
}

} // namespace heapstory::slice
