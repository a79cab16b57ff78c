// Where the fields of a type's objects lie, and which cells they are.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/plan/plan.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heapstory::constraints {

class Layout {
  public:
    explicit Layout(const PlanType &type) : type_(&type) {
        first_.push_back(uint32_t(type.fields.size()));
        for (const PlanRun &run : type.runs) {
            uint64_t count = run.count.value_or(0);
            first_.push_back(first_.back() + uint32_t(count));
            room_.push_back(count && run.stride
                                ? run.field.offset + (count - 1) * run.stride + run.field.size
                                : ~uint64_t(0));
        }
        for (uint32_t i = 0; i < type.fields.size(); ++i) {
            const PlanField &field = type.fields[i];
            if (field.kind == FieldKind::chars)
                continue;
            for (uint64_t word = field.offset / 8; word <= (field.offset + field.size - 1) / 8;
                 ++word) {
                if (word >= by_word_.size())
                    by_word_.resize(word + 1);
                by_word_[word].push_back(i);
            }
        }
    }
    const PlanType &type() const { return *type_; }

    // Elements of a run in an object with so many bytes from its base to the end of its block.
    uint32_t elements(uint32_t run, uint64_t room) const {
        const PlanRun &r = type_->runs[run];
        if (room >= room_[run])
            return uint32_t(*r.count);
        uint64_t end = r.field.offset + r.field.size;
        uint64_t fit = room < end || !r.stride ? 0 : (room - end) / r.stride + 1;
        return uint32_t(r.count ? std::min<uint64_t>(*r.count, fit) : fit);
    }
    // The first cell of a run, counted from the object's first. An open run comes last.
    uint32_t run_start(uint32_t run) const { return first_[run]; }
    uint32_t cells(uint64_t room) const {
        if (type_->runs.empty())
            return first_.back();
        uint32_t last = uint32_t(type_->runs.size()) - 1;
        return type_->runs[last].count ? first_.back() : first_[last] + elements(last, room);
    }
    // Calls visit(cell, field, offset) for the fields that touch bytes from .. to of the word at
    // this distance from the base.
    template <class Visit>
    void touched(int64_t word, unsigned from, unsigned to, uint64_t room, Visit visit) const {
        int64_t first = word + from, end = word + to;
        auto look = [&](uint32_t i) {
            const PlanField &field = type_->fields[i];
            if (field.kind != FieldKind::chars && int64_t(field.offset) < end &&
                int64_t(field.offset + field.size) > first)
                visit(i, field, field.offset);
        };
        if (word % 8 != 0) {
            for (uint32_t i = 0; i < type_->fields.size(); ++i)
                look(i);
        } else if (word >= 0 && uint64_t(word) / 8 < by_word_.size()) {
            for (uint32_t i : by_word_[uint64_t(word) / 8])
                look(i);
        }
        for (uint32_t run = 0; run < type_->runs.size(); ++run)
            touched_elements(run, first, end, room, visit);
    }

  private:
    template <class Visit>
    void touched_elements(uint32_t run, int64_t first, int64_t end, uint64_t room,
                          Visit visit) const {
        const PlanRun &r = type_->runs[run];
        uint32_t count = elements(run, room);
        int64_t stride = int64_t(r.stride), start = int64_t(r.field.offset);
        int64_t i = std::max<int64_t>(0, stride ? (first - start) / stride - 1 : 0);
        for (; i < count && start + i * stride < end; ++i)
            if (start + i * stride + int64_t(r.field.size) > first)
                visit(run_start(run) + uint32_t(i), r.field, uint64_t(start + i * stride));
    }

    const PlanType *type_;
    std::vector<uint32_t> first_;                // cell of each run, then the number of cells
    std::vector<uint64_t> room_;                 // that all elements of a run take
    std::vector<std::vector<uint32_t>> by_word_; // fields by 8-byte word from the base
};

} // namespace heapstory::constraints
