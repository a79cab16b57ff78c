// The objects of one structure with every version of every field that its specification has.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// A block is a node of the trace; an object is a place in a block, of one type of the plan. Where
// several types have an object at the same place, the first of them stands for all (`head`).
// Objects are numbered in order of block id, base and type.
//
// A cell is one field of one object: first the type's fields, then the elements of its runs. Its
// versions lie side by side, oldest first, with ascending timestamps; the one in force at T is the
// last with a timestamp of at most T. Before its first version a cell is unknown.
#pragma once

#include "constraints/plan/plan.h"
#include "constraints/timeline/incoming.h"
#include "constraints/timeline/references.h"
#include "constraints/timeline/span.h"
#include "store/zeroed.h"

#include <cstdint>
#include <span>
#include <vector>

namespace heapstory::constraints {

constexpr Object no_object = none;
// Of versions that make their cell unknown again: as if it was never written, or with some value
// that is left open.
constexpr uint32_t unknown_target = none - 1, open_target = none - 2;

// What a pointer means is kept with it: the block that was alive when it was stored, which it
// points to until that block's end; from then on it is stale. `target` is an object if the pointer
// holds the address of its base, else a block's number + the number of objects, or none for NULL
// and for addresses outside all blocks.
struct Version {
    uint64_t value = 0;
    uint64_t since = 0;
    uint32_t site = 0;
    uint32_t target = none;
};

struct Block {
    uint64_t id = 0; // in the trace
    uint64_t address = 0, size = 0;
    uint64_t birth = 0, death = forever; // timestamps; alive while birth <= T < death
    uint32_t stack = 0, free_stack = 0;
    uint32_t type_id = 0;
};

class Timeline {
  public:
    std::vector<Block> blocks;           // those with objects first, by id
    std::vector<Object> first_object{0}; // by block with objects, and one more
    Values<uint64_t> birth, death;       // by object, as its block's
    Values<uint32_t> block;              // by object
    Values<int64_t> base;                // by object: where it begins in its block, or before it
    Values<uint8_t> type;                // by object
    Values<uint32_t> first_cell{0};      // by object, and one more
    Values<uint64_t> first_version{0};   // by cell, and one more
    Values<Version> versions;
    std::vector<std::vector<Object>> by_type;
    References references;      // only if the plan asks for them
    bool several_types = false; // some place has objects of two types
    uint64_t last = 0;          // timestamp

    size_t objects() const { return birth.size(); }
    bool alive(Object object, uint64_t at) const {
        return birth[object] <= at && at < death[object];
    }
    uint64_t address(Object object) const {
        return blocks[block[object]].address + uint64_t(base[object]);
    }
    // The object that stands for all at its place.
    Object head(Object object) const {
        if (several_types)
            while (object && block[object - 1] == block[object] && base[object - 1] == base[object])
                --object;
        return object;
    }
    // The object of a type at the place of `head`.
    Object facet(Object head, uint32_t wanted) const {
        if (type[head] == wanted)
            return head;
        if (several_types)
            for (Object at = head + 1;
                 at < objects() && block[at] == block[head] && base[at] == base[head]; ++at)
                if (type[at] == wanted)
                    return at;
        return no_object;
    }
    // The object that a cell is a field of.
    Object owner(uint32_t cell) const {
        auto after = std::upper_bound(first_cell.begin(), first_cell.end(), cell);
        return Object(after - first_cell.begin()) - 1;
    }
    uint32_t block_of(const Version &version) const {
        return version.target == none       ? none
               : version.target < objects() ? block[version.target]
                                            : version.target - uint32_t(objects());
    }

    std::span<const Version> cell(uint32_t number) const {
        return {versions.data() + first_version[number],
                size_t(first_version[number + 1] - first_version[number])};
    }
    // The version in force, null where the cell is unknown; narrows `span` to the time over which
    // that is so. The end of a pointer's target is not looked at.
    const Version *at(uint32_t cell, uint64_t time, Span &span) const {
        if (time == laid_out_) {
            const Current &current = current_[cell];
            span.narrow(current.version.since, current.until);
            return is_known(current.version) ? &current.version : nullptr;
        }
        const Version *first = versions.data() + first_version[cell];
        const Version *end = versions.data() + first_version[cell + 1], *after = end;
        if (end - first > 8)
            after =
                std::partition_point(first, end, [&](const Version &v) { return v.since <= time; });
        else
            while (after > first && after[-1].since > time)
                --after;
        span.narrow(after > first ? after[-1].since : 0, after < end ? after->since : forever);
        return after > first && is_known(after[-1]) ? after - 1 : nullptr;
    }
    // Whether a cell that is unknown was written all the same.
    bool is_open(uint32_t number, uint64_t time) const {
        auto all = cell(number);
        auto after = std::partition_point(all.begin(), all.end(),
                                          [&](const Version &v) { return v.since <= time; });
        return after != all.begin() && after[-1].target == open_target;
    }
    // Begins to count the references to all that a field held at any time.
    void begin_references() {
        for (const Version &version : versions)
            if (uint32_t pointed_to = block_of(version); pointed_to != none)
                references.want(blocks[pointed_to].id, version.value);
        references.begin();
    }
    // Puts the versions in force at a moment side by side. Worth it where all of the structure is
    // asked for as of then.
    void lay_out(uint64_t time) const;
    // Tells the processor that the cells of an object will be read soon.
    void fetch_cells(Object object) const {
        constexpr size_t most = 8;
        if (laid_out_ != forever)
            fetch(current_.data() + first_cell[object],
                  sizeof(Current) *
                      std::min<size_t>(most, first_cell[object + 1] - first_cell[object]));
    }

  private:
    static bool is_known(const Version &version) { return version.target - open_target > 1; }
    struct Current {
        Version version;
        uint64_t until;
    };
    mutable Zeroed<Current> current_;     // by cell
    mutable uint64_t laid_out_ = forever; // as of when
};

} // namespace heapstory::constraints
