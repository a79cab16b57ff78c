// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/nodes/types.h"

#include <algorithm>

namespace heapstory {

TypeId node_type(const Tables &tables, const NodeRow &row) {
    TypeId type = row.type;
    if (!type && row.stack < tables.stack_types.size())
        type = tables.stack_types[row.stack];
    return type < tables.types.size() ? type : no_type;
}

TypeId field_type(const Tables &tables, TypeId type, uint64_t offset) {
    while (type && type < tables.types.size()) {
        const Type &t = tables.types[type];
        if (t.kind == TypeKind::record) {
            if (!t.size)
                return no_type;
            offset %= t.size;
            auto after = std::upper_bound(t.fields.begin(), t.fields.end(), offset,
                                          [](uint64_t o, const Field &f) { return o < f.offset; });
            if (after == t.fields.begin())
                return no_type;
            const Field &field = *(after - 1);
            if (t.is_union || offset - field.offset >= std::max<uint64_t>(field.size, 1))
                return no_type;
            offset -= field.offset;
            type = field.type;
        } else if (t.kind == TypeKind::array) {
            TypeId element = t.target;
            if (!element || element >= tables.types.size() || !tables.types[element].size)
                return no_type;
            offset %= tables.types[element].size;
            type = element;
        } else {
            return offset % std::max<uint64_t>(t.size, 1) == 0 ? type : no_type;
        }
    }
    return no_type;
}

bool is_pointer(const Tables &tables, TypeId type) {
    return type && tables.types[type].kind == TypeKind::pointer;
}

} // namespace heapstory
