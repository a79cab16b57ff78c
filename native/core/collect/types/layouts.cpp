// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/types/layouts.h"

namespace heapstory {

bool Layouts::same(TypeId a, TypeId b) const {
    if (a == b)
        return true;
    const Type &one = types_[a], &other = types_[b];
    return one.kind == other.kind && one.size == other.size && !one.name.empty() &&
           one.name == other.name;
}

// Calls visit(type) for everything that begins at an offset of a type until it returns true.
template <class Visit>
void Layouts::visit_at(TypeId id, uint64_t offset, int depth, Visit visit) const {
    constexpr int deepest = 24; // a damaged record may hold itself
    if (id == no_type || depth > deepest)
        return;
    const Type &type = types_[id];
    if (offset == 0 && visit(id))
        return;
    if (type.kind == TypeKind::array) {
        const uint64_t element = type.target ? types_[type.target].size : 0;
        if (element)
            visit_at(type.target, offset % element, depth + 1, visit);
        return;
    }
    for (const Field &field : type.fields)
        if (offset >= field.offset && (offset - field.offset < field.size || field.size == 0))
            visit_at(field.type, offset - field.offset, depth + 1, visit);
}

bool Layouts::contains(TypeId whole, uint64_t offset, TypeId part) const {
    const uint64_t size = types_[whole].size;
    bool found = false;
    visit_at(whole, size ? offset % size : offset, 0,
             [&](TypeId inner) { return found |= same(inner, part); });
    return found;
}

TypeId Layouts::pointee(TypeId type, uint64_t offset) const {
    const uint64_t size = types_[type].size;
    TypeId found = no_type;
    bool ambiguous = false;
    visit_at(type, size ? offset % size : offset, 0, [&](TypeId inner) {
        const Type &at = types_[inner];
        if (at.kind != TypeKind::pointer)
            return false;
        ambiguous |= found != no_type && found != at.target;
        found = at.target;
        return false;
    });
    return ambiguous ? no_type : found;
}

} // namespace heapstory
