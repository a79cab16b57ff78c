// Questions about the layout of types.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "symbols/symbols.h"

namespace heapstory {

class Layouts {
  public:
    explicit Layouts(const TypeTable &types) : types_(types) {}

    const Type &operator[](TypeId id) const { return types_[id]; }
    // Equal types of different units may differ in what is declared only.
    bool same(TypeId a, TypeId b) const;
    // Whether a `part` lies at an offset of a `whole`: itself, a member, a base, an element.
    bool contains(TypeId whole, uint64_t offset, TypeId part) const;
    // The target of the pointer at an offset of a type, of which there may be several in a row;
    // no_type if there is none.
    TypeId pointee(TypeId type, uint64_t offset) const;
    bool is_record(TypeId type) const { return types_[type].kind == TypeKind::record; }
    bool is_bytes(TypeId type) const {
        return types_[type].kind == TypeKind::base && types_[type].size <= 1;
    }

  private:
    template <class Visit>
    void visit_at(TypeId type, uint64_t offset, int depth, Visit visit) const;
    const TypeTable &types_;
};

} // namespace heapstory
