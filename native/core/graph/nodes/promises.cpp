// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/nodes/promises.h"

#include "graph/nodes/types.h"

#include <algorithm>
#include <utility>

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

Promises::Promises(std::vector<Promise> promises, uint32_t first, uint32_t end)
    : promises_(std::move(promises)), starts_(end - first + 1), first_(first) {
    uint32_t next = 0;
    for (uint32_t source = first; source < end; ++source) {
        starts_[source - first] = next;
        while (next < promises_.size() && promises_[next].source == source)
            ++next;
    }
    starts_.back() = next;
}

std::vector<uint32_t> keep_promises(const Tables &tables, std::span<const Promises> pieces,
                                    std::span<GraphNode> nodes) {
    std::vector<uint32_t> typed;
    auto keep = [&](uint32_t source, std::span<const Promise> promises) {
        for (const Promise &promise : promises) {
            GraphNode &target = nodes[promise.target];
            if (target.type)
                continue;
            target.type =
                promised_type(tables, nodes[source].type, promise.offset, target.row.size);
            if (target.type)
                typed.push_back(promise.target);
        }
    };
    std::vector<uint32_t> known;
    for (const Promises &piece : pieces)
        for (uint32_t source = piece.first(); source < piece.end(); ++source)
            if (nodes[source].type && !piece.of(source).empty())
                known.push_back(source);
    auto keep_all = [&](uint32_t source) {
        auto piece = std::ranges::upper_bound(pieces, source, {}, &Promises::end);
        keep(source, piece->of(source));
    };
    for (uint32_t source : known)
        keep_all(source);
    for (size_t i = 0; i < typed.size(); ++i) // grows meanwhile
        keep_all(typed[i]);
    return typed;
}

} // namespace heapstory
