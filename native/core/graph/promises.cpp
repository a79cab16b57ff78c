// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/promises.h"

#include "graph/types.h"

#include <algorithm>
#include <deque>

namespace heapstory {

namespace {

TypeId promised_type(const Tables &tables, TypeId holder, uint64_t offset, uint64_t size) {
    TypeId field = field_type(tables, holder, offset);
    if (!is_pointer(tables, field))
        return no_type;
    TypeId promised = tables.types[field].target;
    if (!promised || promised >= tables.types.size())
        return no_type;
    uint64_t needs = tables.types[promised].size;
    return needs && needs <= size ? promised : no_type;
}

} // namespace

std::vector<uint32_t> keep_promises(const Tables &tables, std::span<const Promise> promises,
                                    std::span<GraphNode> nodes) {
    std::vector<uint32_t> typed;
    std::deque<uint32_t> todo;
    for (size_t i = 0; i < promises.size(); ++i)
        if ((!i || promises[i].source != promises[i - 1].source) && nodes[promises[i].source].type)
            todo.push_back(promises[i].source);
    while (!todo.empty()) {
        uint32_t at = todo.front();
        todo.pop_front();
        for (const Promise &promise :
             std::ranges::equal_range(promises, at, {}, &Promise::source)) {
            GraphNode &target = nodes[promise.target];
            if (target.type)
                continue;
            target.type = promised_type(tables, nodes[at].type, promise.offset, target.row.size);
            if (!target.type)
                continue;
            typed.push_back(promise.target);
            todo.push_back(promise.target);
        }
    }
    return typed;
}

} // namespace heapstory
