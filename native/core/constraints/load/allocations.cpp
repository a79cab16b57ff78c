// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/load/allocations.h"

#include "graph/nodes/types.h"

namespace heapstory::constraints {

Allocations::Allocations(const Store &store) {
    struct First {
        uint64_t node = 0, size = 0, blocks = 0;
        TypeId type = no_type;
    };
    std::vector<First> firsts(store.tables().stacks.size()); // by stack
    store.nodes().for_each([&](uint64_t id, const NodeRow &row) {
        if (row.kind == NodeKind::global)
            globals_.push_back(id);
        if (row.kind != NodeKind::heap || !row.stack || row.stack >= firsts.size())
            return;
        First &first = firsts[row.stack];
        if (!first.blocks++)
            first = {id, row.size, 1, node_type(store.tables(), row)};
    });
    for (uint32_t stack = 0; stack < firsts.size(); ++stack) {
        const First &first = firsts[stack];
        if (first.blocks)
            stacks_[{first.type, first.size}].push_back({stack, first.node, first.blocks});
    }
}

} // namespace heapstory::constraints
