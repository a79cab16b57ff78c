// Every write on its way to the cells it changes.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/load/builder.h"
#include "constraints/plan/bits.h"

#include <limits>

namespace heapstory::constraints {

// Makes a word the owner's: its bytes are forgotten unless a reallocation kept them.
void Builder::take_over(Word &word, uint32_t owner) const {
    uint32_t oldest = owner;
    while (before_[oldest] != Owners::nobody && before_[oldest] != word.owner)
        oldest = before_[oldest];
    if (before_[oldest] == Owners::nobody || word.owner == Owners::nobody) {
        word.value = 0;
        word.mask = sources_[oldest].zeroed ? 0xff : 0;
    }
    word.owner = owner;
}

bool Builder::is_silent(const Write &write) const {
    uint32_t at = owners_->number(write.word);
    if (at == Owners::nobody)
        return true;
    const Word &word = words_[at];
    uint8_t bits = byte_bits(write.first, write.size);
    return write.event < word.same_until && (word.mask & bits) == bits &&
           merge(word.value, write.value, write.first, write.size) == word.value;
}

void Builder::write(unsigned number, const Write &write) {
    uint32_t at = owners_->number(write.word);
    if (at == Owners::nobody)
        return;
    auto [owner, until] = owners_->alive_after(at, write.event + 1);
    if (owner == Owners::nobody)
        return;
    Word &word = words_[at];
    if (word.owner != owner)
        take_over(word, owner);
    word.value = merge(word.value, write.value, write.first, write.size);
    word.mask |= byte_bits(write.first, write.size);
    word.same_until = kept_[owner] ? 0 : until - 1;
    if (kept_[owner])
        kept_writes_[number].push_back(write);
    Object object = line_.first_object[owner], end = line_.first_object[owner + 1];
    Part &part = parts_[number];
    auto write_one = [&](Object one) {
        word.same_until = std::min(word.same_until, write_object(part, write, one, word));
    };
    if (end - object == 1) {
        write_one(object);
        return;
    }
    int64_t offset = int64_t(write.word * 8) - int64_t(lives_[owner].address);
    int64_t low = offset > 0 && uint64_t(offset) > longest_ ? offset - int64_t(longest_)
                                                            : std::numeric_limits<int64_t>::min();
    auto from = std::lower_bound(line_.base.begin() + object, line_.base.begin() + end, low);
    for (object = Object(from - line_.base.begin());
         object < end && line_.base[object] < offset + 8; ++object)
        write_one(object);
}

uint64_t Builder::write_object(Part &part, const Write &write, Object object, const Word &word) {
    const Block &block = line_.blocks[line_.block[object]];
    uint64_t base = uint64_t(line_.base[object]);
    uint32_t first_cell = line_.first_cell[object];
    int64_t distance = int64_t(write.word * 8 - block.address - base);
    uint64_t since = std::max(write.since, block.birth), until = forever;
    layouts_[line_.type[object]].touched(
        distance, write.first, write.first + write.size, block.size - base,
        [&](uint32_t cell, const PlanField &field, uint64_t offset) {
            int64_t shift = int64_t(offset) - distance;
            if (shift < 0 || shift + int64_t(field.size) > 8) {
                part.pieces.push_back({write.event, since, write.value,
                                       write.word * 8 + write.first, write.site, first_cell + cell,
                                       object, write.first, write.size});
                until = 0;
                return;
            }
            uint8_t bits = byte_bits(unsigned(shift), unsigned(field.size));
            if ((word.mask & bits) != bits)
                return; // not all of it was written yet
            until = std::min(until,
                             put(part, first_cell + cell, extract(field, word.value >> (8 * shift)),
                                 field.is_pointer(), since, write));
        });
    return until;
}

// What it led to may have gone, or something may have come to where nothing was.
uint64_t Builder::same_until(const Part &part, uint32_t target, uint64_t event) const {
    if (target < line_.objects())
        return lives_[line_.block[target]].death;
    uint64_t until = next_birth ? next_birth(event) : 0;
    if (target == none)
        return until;
    return std::min(until, target & other_tag
                               ? part.deaths[target & ((uint32_t(1) << part_shift) - 1)]
                               : lives_[target - line_.objects()].death);
}

// Most stores of some programs are silent: they are left out as soon as they are seen.
uint64_t Builder::put(Part &part, uint32_t cell, uint64_t value, bool pointer, uint64_t since,
                      const Write &write) {
    uint64_t &last = last_written_[cell];
    const Written *before = last ? &part.written[last - 1] : nullptr;
    bool again = before && before->value == value;
    if (again && !pointer)
        return forever;
    if (again && before->target < line_.objects() && bases_before_.empty())
        if (uint64_t until = lives_[line_.block[before->target]].death; write.event < until)
            return until;
    uint32_t target = pointer ? target_of(part, value, write.event) : uint32_t(none);
    if (!again || before->target != target) {
        part.written.push_back({value, since, write.site, cell, target});
        last = part.written.size();
    }
    if (!pointer || !value)
        return forever;
    return bases_before_.empty() ? same_until(part, target, write.event) : 0;
}

Object Builder::object_at(uint32_t number, int64_t base) const {
    Object end = line_.first_object[number + 1];
    auto at = std::lower_bound(line_.base.begin() + line_.first_object[number],
                               line_.base.begin() + end, base);
    Object object = Object(at - line_.base.begin());
    return object < end && line_.base[object] == base ? object : no_object;
}

// An object whose address lies before its block, which holds its fields: whatever block holds that
// address, the object is meant. In mode internals the block may begin right after.
Object Builder::object_before(uint64_t value, uint64_t event) const {
    for (int64_t base : bases_before_)
        for (uint64_t later : {uint64_t(0), uint64_t(2)}) {
            uint64_t address = value - uint64_t(base);
            uint32_t number = owners_->find(address, event + later);
            if (number == Owners::nobody || lives_[number].address != address)
                continue;
            if (Object object = object_at(number, base); object != no_object)
                return object;
        }
    return no_object;
}

uint32_t Builder::target_of(Part &part, uint64_t value, uint64_t event) {
    if (!value)
        return none;
    event += meant_after;
    if (Object object = object_before(value, event); object != no_object)
        return object;
    uint32_t number = owners_->find(value, event);
    if (number != Owners::nobody && value != lives_[number].address) {
        // In mode internals a pointer into a node splits it: what it means begins right after.
        uint32_t split = owners_->find(value, event + 2);
        if (split != Owners::nobody && value == lives_[split].address)
            number = split;
    }
    if (number != Owners::nobody) {
        Object object = object_at(number, int64_t(value - lives_[number].address));
        return object != no_object ? object : number + uint32_t(line_.objects());
    }
    SourceBlock found;
    if (!find_ || !find_(value, event, found))
        return none;
    auto [at, added] = part.known.try_emplace(found.block.id, uint32_t(part.others.size()));
    if (added) {
        part.others.push_back(found.block);
        part.deaths.push_back(found.life.death);
    }
    return other_tag | uint32_t(&part - parts_.data()) << part_shift | at->second;
}

} // namespace heapstory::constraints
