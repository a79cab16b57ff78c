// The edges of a structure: forwards as of a moment, and backwards over all time.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/plan/layout.h"
#include "constraints/timeline/changes.h"
#include "constraints/timeline/timeline.h"

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace heapstory::constraints {

class Edges {
  public:
    Edges(const Timeline &line, const Plan &plan);

    // Cells of an object (of its own type only) that belong to an edge set, in order of offset.
    template <class Visit> void cells(Object object, uint32_t set, Visit visit) const {
        for (const Group &group : groups_[set][line_.type[object]])
            cells_of_group(object, group, visit);
    }
    // The cells of one field or run.
    template <class Visit> void cells_of(Object object, const EdgeRef &edge, Visit visit) const {
        cells_of_group(object, group_of(edge), visit);
    }
    // Whether what a root of such a kind holds counts: an array must be that of its owner.
    bool is_root(const EdgeRef &root, Object holder, uint64_t time, Span &span) const {
        return root.via == none || incoming(root.via).count(line_.head(holder), time, span);
    }
    // The edges of a set that begin in a head: visit(target, cell), until it returns false.
    template <class Visit>
    bool out(Object head, uint32_t set, uint64_t time, Span &span, Visit visit) const {
        bool go_on = true;
        Object object = head;
        do {
            cells(object, set, [&](uint32_t cell) {
                if (!go_on)
                    return;
                Object target = this->target(cell, time, span);
                if (target != no_object && counts(set, target))
                    go_on = visit(target, cell);
            });
            ++object;
        } while (go_on && line_.several_types && object < line_.objects() &&
                 line_.block[object] == line_.block[head] &&
                 line_.base[object] == line_.base[head]);
        return go_on;
    }
    // The live object that a cell points to the base of, a head.
    Object target(uint32_t cell, uint64_t time, Span &span) const {
        const Version *version = line_.at(cell, time, span);
        if (!version || version->target >= line_.objects())
            return no_object;
        uint64_t death = line_.death[version->target];
        if (time < death) {
            span.narrow(0, death);
            return version->target;
        }
        span.narrow(death, forever);
        return no_object;
    }
    // Tells the processor that what the edges of an object lead to will be looked at soon, and
    // calls visit(target) for each: no more is known of these than that they once were heads.
    template <class Visit>
    void fetch_targets(Object object, uint32_t set, uint64_t time, Visit visit) const {
        Span unused;
        cells(object, set, [&](uint32_t cell) {
            const Version *version = line_.at(cell, time, unused);
            if (!version || version->target >= line_.objects())
                return;
            __builtin_prefetch(&line_.death[version->target]);
            __builtin_prefetch(&line_.type[version->target]);
            visit(version->target);
        });
    }
    // Made when it is first asked for; any thread may ask.
    const IncomingIndex &incoming(uint32_t set) const {
        std::call_once(made_[set], [&] { incoming_[set] = make_incoming(set); });
        return *incoming_[set];
    }
    // When the cells of a set change.
    const Changes &changes(uint32_t set) const;
    // When objects come and go.
    const Changes &lives() const;
    // Calls visit(cell) for all that may make the edges of a set differ between two moments: cells
    // that are written, and those of objects, or leading to objects, that come or go; and those of
    // arrays that get or lose their owner.
    template <class Visit>
    void for_each_change(uint32_t set, uint64_t from, uint64_t to, Visit visit) const {
        for_each_own_change(set, from, to, visit);
        for (uint32_t via : vias_[set])
            for_each_own_change(via, from, to, [&](uint32_t cell) {
                Span unused;
                for (uint64_t moment : {from, to})
                    if (Object array = target(cell, moment, unused); array != no_object)
                        cells(array, set, visit);
            });
    }
    const Layout &layout(uint32_t type) const { return layouts_[type]; }
    uint64_t room(Object object) const {
        return line_.blocks[line_.block[object]].size - uint64_t(line_.base[object]);
    }
    // Whether pointers to an object are edges of a set.
    bool counts(uint32_t set, Object target) const {
        return set || undeclared_.empty() || !undeclared_[target];
    }
    bool in_set(uint32_t set, uint32_t type) const { return !groups_[set][type].empty(); }

  private:
    std::unique_ptr<IncomingIndex> make_incoming(uint32_t set) const;
    template <class Visit>
    void for_each_own_change(uint32_t set, uint64_t from, uint64_t to, Visit visit) const {
        changes(set).between(from, to, visit);
        lives().between(from, to, [&](Object object) {
            cells(object, set, visit);
            if (line_.head(object) == object)
                for (const Incoming &edge : incoming(set).of(object))
                    visit(edge.cell);
        });
    }

    struct Group { // a field, all elements of a run, or one
        uint64_t offset;
        uint32_t first, run, element, via; // cell from the object's first
    };
    Group group_of(const EdgeRef &edge) const;
    template <class Visit>
    void cells_of_group(Object object, const Group &group, Visit &visit) const {
        uint32_t first = line_.first_cell[object] + group.first, count = 1;
        if (group.run != none) {
            count = layouts_[line_.type[object]].elements(group.run, room(object));
            if (group.element != none) {
                first += group.element;
                count = group.element < count;
            }
        }
        for (uint32_t i = 0; i < count; ++i)
            visit(first + i);
    }
    const Timeline &line_;
    std::vector<Layout> layouts_;
    std::vector<std::vector<std::vector<Group>>> groups_; // by set and type
    std::vector<std::vector<uint32_t>> vias_;             // by set
    std::vector<uint8_t> undeclared_; // by object (a head): of implied types only; empty: none is
    mutable std::vector<std::unique_ptr<IncomingIndex>> incoming_;
    mutable std::deque<std::once_flag> made_; // by set: its incoming_
    mutable std::vector<std::unique_ptr<Changes>> changes_;
    mutable std::unique_ptr<Changes> lives_;
};

} // namespace heapstory::constraints
