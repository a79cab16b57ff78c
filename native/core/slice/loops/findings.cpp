// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/loops/findings.h"

namespace heapstory::slice {

namespace {

class Teller {
  public:
    Teller(const LoopShapes &shapes, const LoopSites &sites,
           const std::vector<LoopFindings> &findings)
        : shapes_(shapes), sites_(sites), findings_(findings) {}

    std::vector<Carried> carried(uint32_t loop) const {
        const LoopFindings &found = findings_[loop];
        const LoopEdges edges(edges_in(loop), sites_.operations());
        std::vector<Carried> result;
        std::set<Site> makers;
        for (const auto &[key, one] : found.flow) {
            makers.insert(Site(key >> 32));
            result.push_back(one);
            result.back().kind = kind(loop, edges, Site(key >> 32));
        }
        for (const auto &[key, one] : found.anti)
            result.push_back(one);
        for (auto [branch, count] : found.exits)
            if (found.iterations > found.entered && edges.depends_on_data(branch, makers))
                result.push_back(exit(branch, count));
        std::sort(result.begin(), result.end(), [](const Carried &one, const Carried &other) {
            return std::tuple(one.from, one.to, one.kind) <
                   std::tuple(other.from, other.to, other.kind);
        });
        return result;
    }

  private:
    std::set<uint32_t> inner(uint32_t loop) const {
        std::set<uint32_t> result;
        std::vector<uint32_t> waiting = {loop};
        while (!waiting.empty()) {
            const uint32_t next = waiting.back();
            waiting.pop_back();
            for (uint32_t one : findings_[next].inner)
                if (one != loop && result.insert(one).second)
                    waiting.push_back(one);
        }
        return result;
    }

    std::unordered_set<uint64_t> edges_in(uint32_t loop) const {
        std::unordered_set<uint64_t> result = findings_[loop].edges;
        for (uint32_t one : inner(loop))
            result.insert(findings_[one].edges.begin(), findings_[one].edges.end());
        return result;
    }

    CarriedKind kind(uint32_t loop, const LoopEdges &edges, Site maker) const {
        if (Site last = edges.induction(maker); last && every_iteration(loop, maker, last))
            return CarriedKind::induction;
        return edges.is_reduction(maker) && in_place(loop, maker) ? CarriedKind::reduction
                                                                  : CarriedKind::flow;
    }

    template <class Visit> void each_use(uint32_t loop, Site maker, Visit visit) const {
        for (const auto &[key, one] : findings_[loop].flow)
            if (Site(key >> 32) == maker)
                visit(one);
    }

    // Whether a value is made once in each iteration: it is found to be of the last one always, by
    // something that runs in all of them. The loops inside do not take it over.
    bool every_iteration(uint32_t loop, Site maker, Site user) const {
        const LoopFindings &found = findings_[loop];
        uint64_t most = 0, count = 0;
        each_use(loop, maker, [&](const Carried &one) {
            most = std::max(most, one.most);
            count = std::max(count, one.count);
        });
        if (most != 1 || count < found.iterations - found.entered)
            return false;
        for (uint32_t other : inner(loop))
            if (findings_[other].flow.count(uint64_t(maker) << 32 | user))
                return false;
        return true;
    }

    // Whether what is made goes where the same was before: x[i] = x[i - 1] + y is no reduction.
    bool in_place(uint32_t loop, Site maker) const {
        bool memory = false;
        uint64_t count = 0;
        each_use(loop, maker, [&](const Carried &one) {
            memory |= one.location.memory;
            count += one.count;
        });
        auto found = findings_[loop].rewritten.find(maker);
        return !memory || (found != findings_[loop].rewritten.end() && found->second >= count);
    }

    Carried exit(Site branch, uint64_t count) const {
        const uint64_t address = sites_.address(branch);
        return {CarriedKind::control, address, address, {}, count, 1, 1};
    }

    const LoopShapes &shapes_;
    const LoopSites &sites_;
    const std::vector<LoopFindings> &findings_;
};

// The last instruction of each node.
std::vector<Loop::End> last_instructions(const Prepared &prepared) {
    std::vector<Loop::End> result(prepared.graph().nodes());
    for (uint32_t id = 1; id <= prepared.source().blocks(); ++id)
        for (const BlockPart &part : prepared.graph().parts(id)) {
            const stream::Instruction &last = prepared.effects(id).instructions[part.end - 1u];
            result[part.node] = {last.address, last.branch == stream::Branch::conditional};
        }
    return result;
}

} // namespace

std::vector<Loop> told_loops(const Prepared &prepared, const LoopShapes &shapes,
                             const LoopSites &sites, const std::vector<LoopFindings> &findings) {
    const Teller teller(shapes, sites, findings);
    const std::vector<Loop::End> last = last_instructions(prepared);
    std::vector<Loop> result;
    for (uint32_t number = 1; number <= shapes.size(); ++number) {
        const LoopShape &shape = shapes.shape(number);
        Loop loop;
        loop.header = prepared.graph().address(shape.header);
        loop.reducible = shape.reducible;
        loop.parent = shape.parent;
        loop.entered = findings[number].entered;
        loop.iterations = findings[number].iterations;
        loop.entered_before = findings[number].entered_before;
        loop.goes_on = findings[number].goes_on;
        if (loop.entered) {
            for (uint32_t node : shape.ends)
                loop.ends.push_back(last[node]);
            loop.carried = teller.carried(number);
        }
        result.push_back(std::move(loop));
    }
    return result;
}

} // namespace heapstory::slice
