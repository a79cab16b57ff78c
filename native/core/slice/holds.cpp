// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/holds.h"

#include "stream/execution.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>

namespace heapstory::slice {

namespace {

using stream::AccessKind;
using stream::Effects;
using stream::Execution;
using stream::RegisterPart;
using stream::Sequence;

constexpr uint64_t word_size = 8;
constexpr unsigned general = 16; // registers
constexpr uint64_t stack_reach = 256 << 10;

class Holds {
  public:
    Holds(const Prepared &prepared, stream::Range block) : prepared_(prepared), block_(block) {}

    std::vector<Hold> run(uint64_t made, uint64_t until) {
        const stream::Source &source = prepared_.source();
        for (uint32_t n = prepared_.sequence_of(made); n < source.sequences(); ++n) {
            source.read(n, sequence_);
            size_t next_switch = 0;
            for (uint32_t at = 0; at < sequence_.steps(); ++at) {
                while (next_switch < sequence_.switches.size() &&
                       sequence_.switches[next_switch].step <= at)
                    registers_ = &registers_of_[sequence_.switches[next_switch++].thread];
                const uint64_t step = sequence_.first_step + at;
                if (step > until)
                    return finish();
                if (step < made)
                    continue;
                now_ = {step, 0};
                if (const uint32_t id = sequence_.block[at])
                    run_block(at, id);
                else
                    take_effect(sequence_.effects[sequence_.operand[at]]);
            }
        }
        return finish();
    }

  private:
    struct Held { // by a register
        Point since, used;
    };
    using Registers = std::array<std::optional<Held>, general>;

    bool is_pointer(uint64_t value) const {
        return value - block_.address < std::max<uint64_t>(block_.size, 1);
    }

    void run_block(uint32_t at, uint32_t id) {
        const stream::Block &block = prepared_.source().block(id);
        const Effects &effects = prepared_.effects(id);
        const Execution execution(sequence_, at, block);
        const unsigned count = execution.instructions(effects);
        for (unsigned i = 0; i < count; ++i) {
            now_.instruction = uint16_t(i);
            run_instruction(execution, effects, i);
        }
        const bool returns = block.jump == stream::Jump::ret &&
                             sequence_.exit[at] == stream::ran_to_end && !block.accesses.empty();
        if (returns)
            leave(execution.address(block.accesses.back()));
    }

    void run_instruction(const Execution &execution, const Effects &effects, unsigned i) {
        const stream::Instruction &one = effects.instructions[i];
        bool from_pointer = false;
        for (RegisterPart part : effects.uses(one))
            each_register(part, [&](unsigned reg, bool) { from_pointer |= use(reg); });
        for (RegisterPart part : effects.address_uses(one))
            each_register(part, [&](unsigned reg, bool) { use(reg); });
        execution.each_access(effects, i, AccessKind::load,
                              [&](const stream::Access &access, uint64_t address) {
                                  from_pointer |= access.size == word_size && words_.count(address);
                              });
        for (RegisterPart part : effects.definitions(one))
            each_register(
                part, [&](unsigned reg, bool whole) { set_register(reg, from_pointer && whole); });
        execution.each_access(effects, i, AccessKind::store,
                              [&](const stream::Access &access, uint64_t address) {
                                  store(execution, access, address);
                              });
    }

    template <class Visit> static void each_register(RegisterPart part, Visit visit) {
        for (unsigned i = 0; i < 8; ++i) {
            const auto bytes = uint8_t(part.bits >> 8 * i);
            const unsigned reg = part.word * 8u + i;
            if (bytes && reg < general)
                visit(reg, bytes == 0xff);
        }
    }

    void store(const Execution &execution, const stream::Access &access, uint64_t address) {
        overwrite(address, access.size);
        for (uint64_t at = 0; at + word_size <= access.size; at += word_size) {
            const uint64_t value = access.value == stream::no_word
                                       ? uint64_t(access.constant)
                                       : execution.word(uint16_t(access.value + at / word_size));
            if (is_pointer(value))
                words_[address + at] = now_;
        }
    }

    void overwrite(uint64_t address, uint64_t size) {
        auto at = words_.lower_bound(address >= word_size ? address - (word_size - 1) : 0);
        while (at != words_.end() && at->first < address + size) {
            ended(at->first, at->second);
            at = words_.erase(at);
        }
    }

    bool use(unsigned reg) {
        std::optional<Held> &held = (*registers_)[reg];
        if (held)
            held->used = now_;
        return held.has_value();
    }

    void set_register(unsigned reg, bool holds) {
        std::optional<Held> &held = (*registers_)[reg];
        if (held)
            holds_.push_back({0, held->since, held->used, true});
        held.reset();
        if (holds)
            held = Held{now_, now_};
    }

    // A function returns whose return address lies there.
    void leave(uint64_t slot) {
        overwrite(slot - std::min(slot, stack_reach), std::min(slot, stack_reach));
        constexpr std::array<unsigned, 7> given_up = {1, 6, 7, 8, 9, 10, 11}; // rcx rsi rdi r8-r11
        for (unsigned reg : given_up)
            set_register(reg, false);
    }

    void take_effect(const stream::Effect &effect) {
        // The first result of an allocation function is the block itself.
        const bool makes = effect.kind == stream::EffectKind::allocation && !made_;
        made_ |= makes;
        std::vector<uint64_t> copied;
        if (effect.kind == stream::EffectKind::copy)
            for (size_t i = 0; i < effect.values(); ++i)
                for (const auto &[word, since] : words_)
                    if (word - effect.used[i].address < effect.used[i].size)
                        copied.push_back(word - effect.used[i].address + effect.defined[i].address);
        for (const stream::Range &range : effect.defined)
            overwrite(range.address, range.size);
        for (uint64_t word : copied)
            words_[word] = now_;
        for (unsigned reg = 0; reg < general; ++reg)
            if (effect.registers_defined.has(stream::general_registers + 8 * reg))
                set_register(reg, makes);
    }

    void ended(uint64_t address, Point since) { holds_.push_back({address, since, now_, true}); }

    std::vector<Hold> finish() {
        for (const auto &[address, since] : words_)
            holds_.push_back({address, since, now_, false});
        for (const auto &[thread, registers] : registers_of_)
            for (const std::optional<Held> &held : registers)
                if (held)
                    holds_.push_back({0, held->since, held->used, true});
        return std::move(holds_);
    }

    const Prepared &prepared_;
    const stream::Range block_;
    Sequence sequence_;
    Point now_;
    bool made_ = false;
    std::map<uint64_t, Point> words_;                      // of memory that hold it, since when
    std::unordered_map<uint32_t, Registers> registers_of_; // by thread
    Registers *registers_ = &registers_of_[0];
    std::vector<Hold> holds_;
};

} // namespace

std::vector<Hold> find_holds(const Prepared &prepared, stream::Range block, uint64_t made,
                             uint64_t until) {
    return Holds(prepared, block).run(made, until);
}

} // namespace heapstory::slice
