// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/nodes/type_propagation.h"

#include "graph/nodes/types.h"

#include <algorithm>
#include <utility>

namespace heapstory {

namespace {

TypeId pointed_type(const Tables &tables, TypeId holder, uint64_t offset, uint64_t size) {
    TypeId field = field_type(tables, holder, offset);
    if (!is_pointer(tables, field))
        return no_type;
    TypeId pointed = tables.types[field].target;
    if (!pointed || pointed >= tables.types.size())
        return no_type;
    uint64_t needs = tables.types[pointed].size;
    return needs && needs <= size ? pointed : no_type;
}

} // namespace

TypeHints::TypeHints(std::vector<TypeHint> hints, uint32_t first, uint32_t end)
    : hints_(std::move(hints)), starts_(end - first + 1), first_(first) {
    uint32_t next = 0;
    for (uint32_t source = first; source < end; ++source) {
        starts_[source - first] = next;
        while (next < hints_.size() && hints_[next].source == source)
            ++next;
    }
    starts_.back() = next;
}

std::vector<uint32_t> propagate_types(const Tables &tables, std::span<const TypeHints> pieces,
                                      std::span<GraphNode> nodes) {
    std::vector<uint32_t> typed;
    auto keep = [&](uint32_t source, std::span<const TypeHint> hints) {
        for (const TypeHint &hint : hints) {
            GraphNode &target = nodes[hint.target];
            if (target.type)
                continue;
            target.type = pointed_type(tables, nodes[source].type, hint.offset, target.row.size);
            if (target.type)
                typed.push_back(hint.target);
        }
    };
    std::vector<uint32_t> known;
    for (const TypeHints &piece : pieces)
        for (uint32_t source = piece.first(); source < piece.end(); ++source)
            if (nodes[source].type && !piece.of(source).empty())
                known.push_back(source);
    auto keep_all = [&](uint32_t source) {
        auto piece = std::ranges::upper_bound(pieces, source, {}, &TypeHints::end);
        keep(source, piece->of(source));
    };
    for (uint32_t source : known)
        keep_all(source);
    for (size_t i = 0; i < typed.size(); ++i) // grows meanwhile
        keep_all(typed[i]);
    return typed;
}

} // namespace heapstory
