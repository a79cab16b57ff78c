// Gathers the executions that are in a slice.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/marks.h"
#include "slice/prepared.h"
#include "slice/slice.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace heapstory::slice {

class Hits {
  public:
    // Where `within` is given, what is not in it does not count.
    explicit Hits(const Marks *within = nullptr) : within_(within) {}

    void add(uint32_t block, unsigned instruction, uint64_t step) {
        if (within_ && !within_->has(step, instruction))
            return;
        std::vector<Tally> &tallies = of_block(block);
        if (instruction >= tallies.size())
            tallies.resize(instruction + 1);
        tallies[instruction].add({1, step, step});
    }
    void add_effect(uint64_t address, uint64_t step) {
        if (!within_ || within_->has(step, 0))
            effects_[address].add({1, step, step});
    }
    // A signal whose cause is not followed.
    void add_signal() { ++signals_; }

    void add(const Hits &others) {
        for (const auto &[block, number] : others.numbers_) {
            std::vector<Tally> &into = of_block(block);
            const std::vector<Tally> &from = others.tallies_[number];
            into.resize(std::max(into.size(), from.size()));
            for (size_t i = 0; i < from.size(); ++i)
                into[i].add(from[i]);
        }
        for (const auto &[address, tally] : others.effects_)
            effects_[address].add(tally);
        signals_ += others.signals_;
    }

    Slice result(const Prepared &prepared) const {
        Slice slice;
        slice.signals = signals_;
        for (const auto &[block, number] : numbers_)
            for (size_t i = 0; i < tallies_[number].size(); ++i)
                tallies_[number][i].tell({block, uint16_t(i), address_of(prepared, block, i)},
                                         slice);
        for (const auto &[address, tally] : effects_)
            tally.tell({0, 0, address}, slice);
        std::sort(slice.hits.begin(), slice.hits.end(), [](const Hit &one, const Hit &other) {
            return std::tie(one.address, one.block, one.instruction) <
                   std::tie(other.address, other.block, other.instruction);
        });
        return slice;
    }

  private:
    // Of one instruction or effect.
    struct Tally {
        uint64_t count = 0;
        uint64_t first = ~uint64_t(0), last = 0; // steps

        void add(const Tally &other) {
            count += other.count;
            first = std::min(first, other.first);
            last = std::max(last, other.last);
        }
        void tell(Hit hit, Slice &into) const {
            if (!count)
                return;
            hit.count = count;
            hit.first = first;
            hit.last = last;
            into.hits.push_back(hit);
            into.instructions += count;
        }
    };

    static uint64_t address_of(const Prepared &prepared, uint32_t block, size_t instruction) {
        return prepared.effects(block).instructions[instruction].address;
    }
    // Several instructions of a block come one after the other: it is looked up once for all.
    std::vector<Tally> &of_block(uint32_t block) {
        if (block != block_) {
            auto [found, is_new] = numbers_.try_emplace(block, uint32_t(tallies_.size()));
            if (is_new)
                tallies_.emplace_back();
            block_ = block;
            number_ = found->second;
        }
        return tallies_[number_];
    }

    const Marks *within_ = nullptr;
    std::unordered_map<uint32_t, uint32_t> numbers_; // of blocks
    std::vector<std::vector<Tally>> tallies_;        // by number of the block and instruction
    std::unordered_map<uint64_t, Tally> effects_;    // by address
    uint64_t signals_ = 0;
    uint32_t block_ = 0, number_ = 0; // the last one added to
};

} // namespace heapstory::slice
