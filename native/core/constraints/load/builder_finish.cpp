// What is done when all writes are known: fields in two words, contents that reallocations kept,
// and the versions of each cell side by side. SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/load/builder.h"
#include "constraints/plan/bits.h"

#include <bit>
#include <map>

namespace heapstory::constraints {

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
        uint64_t begin = block.address + uint64_t(line_.base[piece.object]);
        int64_t distance = int64_t(piece.address - piece.first - begin);
        layouts_[line_.type[piece.object]].touched(
            distance, piece.first, piece.first + piece.size, block.address + block.size - begin,
            [&](uint32_t cell, const PlanField &touched, uint64_t offset) {
                if (line_.first_cell[piece.object] + cell == piece.cell) {
                    field = &touched;
                    start = begin + offset;
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
    auto fix = [&](Values<Written> &list) {
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
    Values<uint64_t> next(line_.first_cell.back() + 1);
    auto count = [&](const Values<Written> &list) {
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
    auto move = [&](Values<Written> &list) {
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

} // namespace heapstory::constraints
