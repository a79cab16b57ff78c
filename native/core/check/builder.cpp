// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/builder.h"

#include "format/bytes.h"

#include <bit>
#include <map>

namespace heapstory::check {

namespace {

constexpr uint32_t other_tag = uint32_t(1) << 31; // a target among a part's others, until numbered
constexpr unsigned part_shift = 30;

uint64_t bytes_mask(uint64_t size) {
    return size >= 8 ? ~uint64_t(0) : (uint64_t(1) << (8 * size)) - 1;
}

uint64_t extract(const PlanField &field, uint64_t bytes) {
    if (!field.bit_size)
        return bytes & bytes_mask(field.size);
    return bytes >> field.bit_offset & ((uint64_t(1) << field.bit_size) - 1);
}

uint8_t byte_bits(unsigned first, unsigned size) {
    return uint8_t(((1u << size) - 1) << first);
}

// Puts bytes first .. first + size of `value` (its low bytes) into a word.
uint64_t merge(uint64_t word, uint64_t value, unsigned first, unsigned size) {
    uint64_t mask = bytes_mask(size) << (8 * first);
    return (word & ~mask) | (value << (8 * first) & mask);
}

} // namespace

Builder::Builder(const Plan &plan, Find find) : plan_(plan), find_(std::move(find)) {
    if (plan.types.size() > 250)
        throw FormatError("a specification may have up to 250 types");
    for (uint32_t type = 0; type < plan.types.size(); ++type) {
        const PlanType &t = plan.types[type];
        layouts_.emplace_back(t);
        longest_ = std::max(longest_, t.size);
        for (size_t run = 0; run < t.runs.size(); ++run)
            if (!t.runs[run].count) {
                longest_ = forever;
                if (run + 1 < t.runs.size())
                    throw FormatError("type " + t.name + ": only the last array may be open-ended");
            }
        for (const PlanMember &member : t.members) {
            Placed placed{type, member.base, member.stride};
            if (member.type_id)
                by_type_[*member.type_id].push_back(placed);
            for (uint32_t stack : member.stacks)
                by_stack_[stack].push_back(placed);
            if (member.node)
                by_node_[*member.node].push_back(placed);
        }
    }
    line_.by_type.resize(plan.types.size());
}

template <class Visit> void Builder::for_each_place(const SourceBlock &source, Visit visit) const {
    auto look = [&](const auto &map, auto key) {
        if (auto found = map.find(key); found != map.end())
            for (const Placed &placed : found->second)
                visit(placed);
    };
    if (!by_node_.empty())
        look(by_node_, source.block.id);
    if (!by_stack_.empty() && source.block.stack)
        look(by_stack_, source.block.stack);
    if (source.block.type_id && source.heap)
        look(by_type_, source.block.type_id);
}

bool Builder::wants(const SourceBlock &source) const {
    bool any = false;
    for_each_place(source, [&](const Placed &placed) {
        any |= placed.base + plan_.types[placed.type].size <= source.block.size;
    });
    return any;
}

void Builder::add(const SourceBlock &source) {
    sources_.push_back(source);
    lives_.push_back(source.life);
    line_.blocks.push_back(source.block);
    place(uint32_t(sources_.size()) - 1);
    line_.first_object.push_back(Object(line_.objects()));
}

// Adds the block's objects in order of base and type.
void Builder::place(uint32_t number) {
    const SourceBlock &source = sources_[number];
    std::vector<std::pair<uint64_t, uint32_t>> places;
    for_each_place(source, [&](const Placed &placed) {
        uint64_t size = plan_.types[placed.type].size;
        for (uint64_t base = placed.base; base + size <= source.block.size;
             base += *placed.stride) {
            places.emplace_back(base, placed.type);
            if (!placed.stride.value_or(0))
                break;
        }
    });
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (size_t i = 0; i < places.size(); ++i) {
        auto [base, type] = places[i];
        line_.several_types |= i && places[i - 1].first == base;
        line_.by_type[type].push_back(Object(line_.objects()));
        line_.birth.push_back(source.block.birth);
        line_.death.push_back(source.block.death);
        line_.block.push_back(number);
        line_.base.push_back(uint32_t(base));
        line_.type.push_back(uint8_t(type));
        line_.first_cell.push_back(line_.first_cell.back() +
                                   layouts_[type].cells(source.block.size - base));
    }
}

void Builder::begin(unsigned parts) {
    owners_ = std::make_unique<Owners>(lives_);
    words_.resize(owners_->words());
    last_written_.assign(line_.first_cell.back(), 0);
    parts_.resize(parts);
    kept_writes_.resize(parts);
    find_ancestors();
}

void Builder::find_ancestors() {
    before_.assign(sources_.size(), Owners::nobody);
    kept_.assign(sources_.size(), 0);
    for (uint32_t i = 0; i < sources_.size(); ++i) {
        if (!sources_[i].in_place || !sources_[i].life.birth)
            continue;
        uint32_t older = owners_->find(sources_[i].life.address, sources_[i].life.birth - 1);
        if (older != Owners::nobody && lives_[older].death == lives_[i].birth &&
            lives_[older].address == lives_[i].address) {
            before_[i] = older;
            kept_[older] = 1;
        }
    }
}

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
    uint64_t low = longest_ > uint64_t(offset + 8) || offset < 0 ? 0 : uint64_t(offset) - longest_;
    auto from = std::lower_bound(line_.base.begin() + object, line_.base.begin() + end, low);
    for (object = Object(from - line_.base.begin());
         object < end && int64_t(line_.base[object]) < offset + 8; ++object)
        write_one(object);
}

uint64_t Builder::write_object(Part &part, const Write &write, Object object, const Word &word) {
    const Block &block = line_.blocks[line_.block[object]];
    uint32_t base = line_.base[object], first_cell = line_.first_cell[object];
    int64_t distance = int64_t(write.word * 8) - int64_t(block.address + base);
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

// A pointer that is stored again may have a new meaning if what it led to has gone.
uint64_t Builder::same_until(uint32_t target) const {
    return target < line_.objects() ? lives_[line_.block[target]].death : 0;
}

// Most stores of some programs are silent: they are left out as soon as they are seen.
uint64_t Builder::put(Part &part, uint32_t cell, uint64_t value, bool pointer, uint64_t since,
                      const Write &write) {
    uint64_t &last = last_written_[cell];
    const Written *before = last ? &part.written[last - 1] : nullptr;
    bool again = before && before->value == value;
    if (again && !pointer)
        return forever;
    if (again && write.event < same_until(before->target))
        return same_until(before->target);
    uint32_t target = pointer ? target_of(part, value, write.event) : uint32_t(none);
    if (!again || before->target != target) {
        part.written.push_back({value, since, write.site, cell, target});
        last = part.written.size();
    }
    return pointer && value ? same_until(target) : forever;
}

uint32_t Builder::target_of(Part &part, uint64_t value, uint64_t event) {
    if (!value)
        return none;
    event += meant_after;
    uint32_t number = owners_->find(value, event);
    if (number != Owners::nobody) {
        uint64_t offset = value - lives_[number].address;
        Object end = line_.first_object[number + 1];
        auto at = std::lower_bound(line_.base.begin() + line_.first_object[number],
                                   line_.base.begin() + end, offset);
        Object object = Object(at - line_.base.begin());
        if (object < end && line_.base[object] == offset &&
            line_.type[object] < plan_.visible_types)
            return object;
        return number + uint32_t(line_.objects());
    }
    SourceBlock found;
    if (!find_ || !find_(value, event, found))
        return none;
    auto [at, added] = part.known.try_emplace(found.block.id, uint32_t(part.others.size()));
    if (added)
        part.others.push_back(found.block);
    return other_tag | uint32_t(&part - parts_.data()) << part_shift | at->second;
}

// Fields that lie in two words: their pieces in order of time.
void Builder::join_pieces() {
    std::vector<Piece> pieces;
    for (Part &part : parts_)
        pieces.insert(pieces.end(), part.pieces.begin(), part.pieces.end());
    std::stable_sort(pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) {
        return a.cell != b.cell ? a.cell < b.cell : a.event < b.event;
    });
    Part &part = parts_[0];
    uint64_t value = 0;
    unsigned known = 0; // bytes of the field, one bit each
    for (size_t i = 0; i < pieces.size(); ++i) {
        const Piece &piece = pieces[i];
        if (!i || pieces[i - 1].cell != piece.cell) {
            value = 0;
            known = sources_[line_.block[piece.object]].zeroed ? 0xff : 0;
        }
        const Block &block = line_.blocks[line_.block[piece.object]];
        const PlanField *field = nullptr;
        uint64_t start = 0;
        int64_t distance = int64_t(piece.address) - piece.first -
                           int64_t(block.address + line_.base[piece.object]);
        layouts_[line_.type[piece.object]].touched(
            distance, piece.first, piece.first + piece.size, block.size - line_.base[piece.object],
            [&](uint32_t cell, const PlanField &touched, uint64_t offset) {
                if (line_.first_cell[piece.object] + cell == piece.cell) {
                    field = &touched;
                    start = block.address + line_.base[piece.object] + offset;
                }
            });
        for (uint64_t byte = 0; field && byte < piece.size; ++byte)
            if (uint64_t at = piece.address + byte - start; at < field->size) {
                value = merge(value, piece.value >> (8 * byte), unsigned(at), 1);
                known |= 1u << at;
            }
        bool whole = i + 1 == pieces.size() || pieces[i + 1].cell != piece.cell ||
                     pieces[i + 1].event != piece.event;
        if (field && whole && std::popcount(known) >= int(field->size)) {
            uint64_t read = extract(*field, value);
            part.written.push_back(
                {read, piece.since, piece.site, piece.cell,
                 field->is_pointer() ? target_of(part, read, piece.event) : uint32_t(none)});
        }
    }
}

// Gives the targets without objects their places after the other blocks.
void Builder::number_others() {
    std::map<uint64_t, uint32_t> numbers;
    std::vector<std::vector<uint32_t>> renumbered(parts_.size());
    for (size_t part = 0; part < parts_.size(); ++part)
        for (const Block &block : parts_[part].others) {
            auto [at, added] = numbers.try_emplace(block.id, uint32_t(line_.blocks.size()));
            if (added)
                line_.blocks.push_back(block);
            renumbered[part].push_back(at->second + uint32_t(line_.objects()));
        }
    auto fix = [&](std::vector<Written> &list) {
        for (Written &w : list)
            if (w.target != none && w.target & other_tag)
                w.target = renumbered[w.target >> part_shift & 1]
                                     [w.target & ((uint32_t(1) << part_shift) - 1)];
    };
    for (Part &part : parts_)
        fix(part.written);
    fix(beginnings_);
}

// What the cells of a block's objects hold at birth, from the words that a reallocation kept.
void Builder::inherit(uint32_t number, Contents &contents) {
    for (Object object = line_.first_object[number]; object < line_.first_object[number + 1];
         ++object) {
        size_t before = parts_[0].written.size();
        for (uint32_t cell = line_.first_cell[object]; cell < line_.first_cell[object + 1]; ++cell)
            last_written_[cell] = 0;
        for (auto &[at, kept] : contents) {
            auto &[write, mask] = kept;
            Word word{write.value, number, mask};
            Write whole = write;
            whole.since = line_.blocks[number].birth;
            for (whole.first = 0; whole.first < 8; ++whole.first) // one byte at a time: holes
                if (mask >> whole.first & 1) {
                    whole.size = 1;
                    write_object(parts_[0], whole, object, word);
                }
        }
        auto &written = parts_[0].written;
        beginnings_.insert(beginnings_.end(), written.begin() + std::ptrdiff_t(before),
                           written.end());
        written.resize(before);
    }
}

void Builder::add_beginnings() {
    std::map<uint32_t, Contents> contents; // of the kept blocks, at their end
    std::vector<std::vector<Write>> writes(sources_.size());
    for (auto &part : kept_writes_)
        for (const Write &write : part)
            writes[owners_->alive_after(owners_->number(write.word), write.event + 1).block]
                .push_back(write);
    for (uint32_t i = 0; i < sources_.size(); ++i) {
        if (sources_[i].zeroed)
            for (uint32_t cell = line_.first_cell[line_.first_object[i]];
                 cell < line_.first_cell[line_.first_object[i + 1]]; ++cell)
                beginnings_.push_back({0, line_.blocks[i].birth, 0, cell, none});
        if (before_[i] == Owners::nobody && !kept_[i])
            continue;
        Contents held;
        if (before_[i] != Owners::nobody) {
            held = contents[before_[i]];
            inherit(i, held);
        }
        if (!kept_[i])
            continue;
        for (const Write &write : writes[i]) {
            auto &[word, mask] = held[write.word];
            uint64_t value = merge(word.value, write.value, write.first, write.size);
            word = write;
            word.value = value;
            mask |= byte_bits(write.first, write.size);
        }
        if (sources_[i].zeroed)
            for (uint64_t word = lives_[i].address / 8;
                 word * 8 < lives_[i].address + lives_[i].size; ++word) {
                auto &[write, mask] = held[word];
                write.word = word;
                mask = 0xff;
            }
        contents[i] = std::move(held);
    }
}

void Builder::scatter() {
    std::vector<uint64_t> next(line_.first_cell.back() + 1);
    auto count = [&](const std::vector<Written> &list) {
        for (const Written &w : list)
            ++next[w.cell + 1];
    };
    count(beginnings_);
    for (const Part &part : parts_)
        count(part.written);
    for (size_t i = 1; i < next.size(); ++i)
        next[i] += next[i - 1];
    line_.first_version = next;
    line_.versions.resize(next.back());
    auto move = [&](std::vector<Written> &list) {
        for (const Written &w : list)
            line_.versions[next[w.cell]++] = {w.value, w.since, w.site, w.target};
        list = {};
    };
    move(beginnings_);
    for (Part &part : parts_)
        move(part.written);
}

// Drops versions that change nothing or were replaced within the same operation.
void Builder::compact() {
    auto &versions = line_.versions;
    uint64_t kept = 0, from = 0;
    for (size_t cell = 0; cell + 1 < line_.first_version.size(); ++cell) {
        uint64_t start = kept, end = line_.first_version[cell + 1];
        for (; from < end; ++from) {
            Version next = versions[from];
            if (kept > start && versions[kept - 1].since == next.since)
                --kept;
            if (kept > start && versions[kept - 1].value == next.value &&
                versions[kept - 1].target == next.target)
                continue;
            versions[kept++] = next;
        }
        line_.first_version[cell] = start;
    }
    line_.first_version.back() = kept;
    versions.resize(kept);
}

Timeline Builder::finish() {
    join_pieces();
    add_beginnings();
    number_others();
    owners_.reset();
    words_ = {};
    last_written_ = {};
    scatter();
    compact();
    return std::move(line_);
}

} // namespace heapstory::check
