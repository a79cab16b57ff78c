// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/loops/heads.h"

#include <set>

namespace heapstory::slice {

namespace {

class Finder {
  public:
    Finder(const Prepared &prepared, const LoopShapes &shapes, const LinesOf &lines)
        : graph_(prepared.graph()), lines_(prepared.graph().nodes()) {
        if (!lines)
            return;
        for (uint32_t id = 1; id <= prepared.source().blocks(); ++id) {
            unsigned first = 0;
            for (const BlockPart &part : graph_.parts(id)) {
                for (; first < part.end && shapes.innermost(part.node); ++first)
                    lines_[part.node].push_back(
                        lines(prepared.effects(id).instructions[first].address));
                first = part.end;
            }
        }
    }

    std::vector<uint32_t> head(const LoopShape &shape) const {
        std::set<uint32_t> found = {shape.header};
        const std::set<uint32_t> exits = leading_out(shape);
        const size_t depth = depth_of(shape);
        const uint64_t line =
            lines_[shape.header].empty() ? 0 : line_at(lines_[shape.header].back(), depth);
        std::vector<uint32_t> waiting = {shape.header};
        while (line && !waiting.empty()) {
            const uint32_t node = waiting.back();
            waiting.pop_back();
            for (uint32_t next : graph_.successors(node))
                if (exits.count(next) && is_on(next, line, depth) && found.insert(next).second)
                    waiting.push_back(next);
        }
        if (found.size() == shape.nodes.size())
            return {};
        return {found.begin(), found.end()};
    }

  private:
    // The nodes from which the loop can end before the header runs again.
    std::set<uint32_t> leading_out(const LoopShape &shape) const {
        std::set<uint32_t> found;
        for (bool more = true; more;) {
            more = false;
            for (uint32_t node : shape.nodes)
                for (uint32_t next : graph_.successors(node))
                    if (next != shape.header && (!has(shape, next) || found.count(next)))
                        more |= found.insert(node).second;
        }
        return found;
    }
    static bool has(const LoopShape &shape, uint32_t node) {
        return std::binary_search(shape.nodes.begin(), shape.nodes.end(), node);
    }

    // How many lines, from the outermost, say where code is that is in the loop's own function.
    size_t depth_of(const LoopShape &shape) const {
        size_t least = ~size_t(0);
        for (uint32_t node : shape.nodes)
            for (const Lines &one : lines_[node])
                if (!one.empty())
                    least = std::min(least, one.size());
        return least;
    }
    static uint64_t line_at(const std::vector<uint64_t> &lines, size_t depth) {
        return depth <= lines.size() ? lines[lines.size() - depth] : 0;
    }
    bool is_on(uint32_t node, uint64_t line, size_t depth) const {
        return std::ranges::all_of(lines_[node],
                                   [&](const Lines &one) { return line_at(one, depth) == line; });
    }

    using Lines = std::vector<uint64_t>;
    const FlowGraph &graph_;
    std::vector<std::vector<Lines>> lines_; // by node, of its instructions
};

} // namespace

LoopHeads::LoopHeads(const Prepared &prepared, const LoopShapes &shapes, const LinesOf &lines)
    : heads_(1) {
    const Finder finder(prepared, shapes, lines);
    for (uint32_t loop = 1; loop <= shapes.size(); ++loop)
        heads_.push_back(finder.head(shapes.shape(loop)));
}

} // namespace heapstory::slice
