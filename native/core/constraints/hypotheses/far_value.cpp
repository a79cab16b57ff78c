// FarValue: values from all over the structure (see fault_models.h).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/hypotheses/fault_models.h"

#include <set>
#include <utility>

namespace heapstory::constraints {

namespace {

constexpr size_t most = 1024, most_in_all = 16'384; // hypotheses

// The values for one field, each once.
class FarValues {
  public:
    FarValues(const Situation &at, uint32_t cell, size_t most, Hypotheses &out)
        : at_(at), line_(at.line()), values_(at), cell_(cell), owner_(line_.owner(cell)),
          operation_(at.held(cell)->since), left_(most), out_(out) {}

    void add_small_numbers() {
        if (is_number() && !is_real())
            for (uint64_t small = 0; small < 4; ++small)
                add(values_.with_number(cell_, small));
    }
    // What an object stands for: its address, the number in its field of the same name.
    void add_of(Object object) {
        if (!line_.alive(object, at_.time()))
            return;
        if (at_.holds_address(cell_))
            add(at_.pointer_to(line_.head(object)));
        uint32_t same_field = line_.first_cell[object] + (cell_ - line_.first_cell[owner_]);
        if (is_number() && line_.type[object] == line_.type[owner_] &&
            same_field < line_.first_cell[object + 1] && at_.held(same_field) &&
            at_.held(same_field)->target == none)
            add_numbers(at_.held(same_field)->value);
    }

  private:
    bool is_number() const { return at_.field_of(cell_).kind != FieldKind::pointer; }
    bool is_real() const { return at_.field_of(cell_).kind == FieldKind::real; }

    void add(const Version &value) {
        if (left_ && at_.was_there(value, operation_) &&
            known_.emplace(value.value, value.target).second) {
            out_.add(operation_, {{cell_, value}});
            --left_;
        }
    }
    void add_numbers(uint64_t number) {
        add(values_.with_number(cell_, number));
        if (!is_real())
            for (uint64_t near : {number + 1, number - 1})
                add(values_.with_number(cell_, near));
    }

    const Situation &at_;
    const Timeline &line_;
    CandidateValues values_;
    uint32_t cell_;
    Object owner_;
    uint64_t operation_;
    size_t left_;
    std::set<std::pair<uint64_t, uint32_t>> known_;
    Hypotheses &out_;
};

} // namespace

// First what the inconsistencies and the writes speak of.
void FarValue::suppose(Hypotheses &out) const {
    for (uint32_t cell : cells_) {
        FarValues values(at_, cell, std::min(most, most_in_all / cells_.size()), out);
        values.add_small_numbers();
        for (Object head : at_.pool())
            for (Object object = head; object < line_.objects() && line_.head(object) == head;
                 ++object)
                values.add_of(object);
        for (Object object = 0; object < line_.objects(); ++object)
            values.add_of(object);
        out.end_group();
    }
}

} // namespace heapstory::constraints
