// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/handed.h"

#include "slice/steps.h"
#include "stream/execution.h"
#include "stream/operations.h"
#include "stream/state.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

namespace heapstory::slice {

using stream::AccessKind;
using stream::Effects;
using stream::Execution;
using stream::Instruction;
using stream::RegisterPart;
using stream::RegisterSet;
using stream::Role;

namespace {

constexpr unsigned unit = 8; // bytes, of registers and of memory, that are followed together
constexpr unsigned register_units = stream::register_bytes / unit;

template <class Visit> void each_unit(RegisterPart part, Visit visit) {
    for (unsigned i = 0; i < 64 / unit; ++i)
        if (const auto bytes = uint8_t(part.bits >> unit * i))
            visit(part.word * (64 / unit) + i, bytes == 0xff);
}

// Follows what some registers hold, wherever it is moved, until something is computed from it.
class Followed {
  public:
    // `stack`: what is stored below is in frames that end before the question does.
    Followed(const RegisterSet &registers, uint64_t stack) : stack_(stack) {
        for (unsigned i = 0; i < register_units; ++i)
            if (registers.meets(stream::part_of(unit * i)) && units_.size() < 64) {
                hold(registers_[i], uint64_t(1) << units_.size());
                units_.push_back(i);
            }
    }

    // Nothing is left that may still be used for the first time.
    bool is_over() const { return (!held_ && memory_.empty()) || all_used(); }
    // What a register holds beside a number.
    void forget_rest() {
        for (unsigned i = stream::vector_registers / unit; i < register_units; ++i)
            if (i >= stream::x87_registers / unit || i % 4)
                set(i, 0, true);
    }
    RegisterSet used() const {
        RegisterSet made;
        for (uint64_t left = used_; left; left &= left - 1)
            made.add(stream::part_of(unit * units_[unsigned(std::countr_zero(left))]));
        return made;
    }

    void run(const Execution &execution, const stream::Block &block, const Effects &effects) {
        for (unsigned i = 0, count = execution.instructions(effects); i < count; ++i) {
            const Role role = effects.instructions[i].role;
            if (role == Role::save_state || role == Role::restore_state)
                pass_state(execution, block, effects, i);
            else
                run_instruction(execution, block, effects, i);
        }
    }

    void run(const stream::Effect &effect) {
        for (unsigned word = 0; word < RegisterSet::words; ++word) {
            each_unit({uint8_t(word),
                       effect.registers_used.part(word) | effect.registers_addressed.part(word)},
                      [&](unsigned i, bool) { used_ |= registers_[i]; });
            each_unit({uint8_t(word), effect.registers_defined.part(word)},
                      [&](unsigned i, bool whole) { set(i, 0, whole); });
        }
        for (const stream::Range &range : effect.used)
            used_ |= in_memory(range.address, range.size);
        for (const stream::Range &range : effect.defined)
            put(range.address, range.size, 0);
    }

  private:
    using Holds = uint64_t; // a bit for each unit that is followed

    void run_instruction(const Execution &execution, const stream::Block &block,
                         const Effects &effects, unsigned i) {
        const Instruction &one = effects.instructions[i];
        sources_.clear();
        for (RegisterPart part : effects.uses(one))
            each_unit(part, [&](unsigned at, bool) { sources_.push_back(registers_[at]); });
        for (RegisterPart part : effects.address_uses(one))
            each_unit(part, [&](unsigned at, bool) { used_ |= registers_[at]; });
        bool loads = false;
        execution.each_access(effects, i, AccessKind::load, [&](auto &access, uint64_t address) {
            loads = true;
            for (uint64_t at = 0; at < access.size; at += unit)
                sources_.push_back(
                    in_memory(address + at, std::min<uint64_t>(unit, access.size - at)));
        });
        Holds all = 0;
        for (Holds source : sources_)
            all |= source;
        const bool stores_only = !loads && effects.definitions(one).empty();
        if (all && !stores_only && !is_move(block, one)) {
            used_ |= all;
            all = 0;
        }
        move(execution, effects, i, all);
    }

    static bool is_move(const stream::Block &block, const Instruction &one) {
        return stream::operation_of(std::span(block.code).subspan(one.address - block.address)) ==
               stream::Operation::move;
    }

    // Each unit of what is made comes from the same one of what was there, if there are as many.
    void move(const Execution &execution, const Effects &effects, unsigned i, Holds all) {
        size_t targets = 0, next = 0;
        for (RegisterPart part : effects.definitions(effects.instructions[i]))
            each_unit(part, [&](unsigned, bool) { ++targets; });
        execution.each_access(effects, i, AccessKind::store, [&](auto &access, uint64_t) {
            targets += (access.size + unit - 1) / unit;
        });
        auto source = [&] { return targets == sources_.size() ? sources_[next++] & all : all; };
        for (RegisterPart part : effects.definitions(effects.instructions[i]))
            each_unit(part, [&](unsigned at, bool whole) { set(at, source(), whole); });
        execution.each_access(effects, i, AccessKind::store, [&](auto &access, uint64_t address) {
            for (uint64_t at = 0; at < access.size; at += unit)
                put(address + at, std::min<uint64_t>(unit, access.size - at), source());
        });
    }

    void pass_state(const Execution &execution, const stream::Block &block, const Effects &effects,
                    unsigned i) {
        const bool saves = effects.instructions[i].role == Role::save_state;
        stream::each_of_state(execution, block, effects, i, [&](unsigned first, uint64_t slot) {
            if (saves)
                put(slot, unit, registers_[first / unit]);
            else
                set(first / unit, in_memory(slot, unit), true);
        });
    }

    bool all_used() const { return size_t(std::popcount(used_)) == units_.size(); }

    void set(unsigned i, Holds holds, bool whole) {
        hold(registers_[i], whole ? holds : registers_[i] | holds);
    }
    void hold(Holds &reg, Holds holds) {
        held_ = held_ - (reg != 0) + (holds != 0);
        reg = holds;
    }

    bool in_frame(uint64_t address) const {
        constexpr uint64_t reach = 64 << 10;
        return stack_ - address - 1 < reach;
    }
    Holds in_memory(uint64_t address, uint64_t size) const {
        Holds found = 0;
        if (!memory_.empty() && (in_frame(address) || in_frame(address + size - 1)))
            for (uint64_t word = address / unit; word <= (address + size - 1) / unit; ++word)
                if (auto at = memory_.find(word); at != memory_.end())
                    found |= at->second;
        return found;
    }
    void put(uint64_t address, uint64_t size, Holds holds) {
        if (!size)
            return;
        if (!in_frame(address)) {
            used_ |= holds;
            return;
        }
        if (!holds && memory_.empty())
            return;
        for (uint64_t word = address / unit; word <= (address + size - 1) / unit; ++word) {
            const bool whole = address <= word * unit && address + size >= (word + 1) * unit;
            Holds &there = memory_[word];
            there = whole ? holds : there | holds;
            if (!there)
                memory_.erase(word);
        }
    }

    const uint64_t stack_;
    std::vector<unsigned> units_; // of registers, by the number of their bit
    std::array<Holds, register_units> registers_{};
    std::unordered_map<uint64_t, Holds> memory_; // by word
    unsigned held_ = 0;                          // how many units of registers hold something
    Holds used_ = 0;
    std::vector<Holds> sources_; // of an instruction
};

// Which words above a return address are arguments.
class OnStack {
  public:
    OnStack(uint64_t stack, std::span<const uint64_t> pushed)
        : first_(stack + 8), pushed_(pushed.begin(), pushed.end()) {}

    // A step of what was called; `own`: of the function itself, not of what that calls.
    void run(const Execution &execution, const Effects &effects, bool own) {
        for (unsigned i = 0, count = execution.instructions(effects);
             i < count && (own || !pushed_.empty()); ++i) {
            const bool by_frame = own && is_by_frame(effects, effects.instructions[i]);
            execution.each_access(effects, i, AccessKind::load, [&](auto &access, uint64_t at) {
                each_word(at, access.size, [&](uint64_t word) {
                    if (!written_.count(word) && (by_frame || pushed_.count(word)))
                        loaded_.insert(word);
                });
            });
            execution.each_access(effects, i, AccessKind::store, [&](auto &access, uint64_t at) {
                each_word(at, access.size, [&](uint64_t word) { written_.insert(word); });
            });
        }
    }
    std::vector<stream::Range> found() const {
        std::vector<stream::Range> ranges;
        for (uint64_t word : loaded_)
            ranges.push_back({word, unit});
        return ranges;
    }

  private:
    static bool is_by_frame(const Effects &effects, const Instruction &one) {
        constexpr RegisterPart rbp = stream::part_of(stream::general_registers + 8 * stream::rbp);
        return std::ranges::all_of(effects.address_uses(one), [&](RegisterPart part) {
            return part.word == rbp.word && !(part.bits & ~rbp.bits);
        });
    }
    template <class Visit> void each_word(uint64_t address, uint64_t size, Visit visit) const {
        constexpr uint64_t most = 1024; // bytes of arguments
        for (uint64_t at = address / unit * unit; at < address + size; at += unit)
            if (at - first_ < most)
                visit(at);
    }

    const uint64_t first_;
    const std::set<uint64_t> pushed_;
    std::set<uint64_t> loaded_, written_; // since the call
};

// Visits the steps of a point's thread behind it, those of signal handlers left out, until the
// visitor says false.
template <class Visit> void each_step_after(const Prepared &prepared, Point from, Visit visit) {
    ForwardSteps steps(prepared);
    uint32_t thread = 0, interrupted = 0;
    const uint32_t first = prepared.sequence_of(from.step);
    for (uint32_t number = first; number < prepared.source().sequences(); ++number) {
        steps.read(number);
        auto at = uint32_t(std::max(from.step, steps.sequence().first_step) -
                           steps.sequence().first_step);
        for (; at < steps.count(); ++at) {
            steps.enter(at);
            if (steps.number(at) == from.step) {
                thread = steps.thread();
                continue;
            }
            if (steps.thread() != thread)
                continue;
            if (!steps.sequence().block[at]) {
                const stream::EffectKind kind = steps.effect(at).kind;
                interrupted += kind == stream::EffectKind::signal;
                if (kind == stream::EffectKind::signal_return && interrupted) {
                    --interrupted;
                    continue;
                }
            }
            if (!interrupted && !visit(steps, at))
                return;
        }
    }
}

void run_step(const Prepared &prepared, const Steps &steps, uint32_t at, Followed &followed) {
    const uint32_t id = steps.sequence().block[at];
    if (!id) {
        followed.run(steps.effect(at));
        return;
    }
    const stream::Block &block = prepared.source().block(id);
    followed.run(Execution(steps.sequence(), at, block), block, prepared.effects(id));
}

// Says of the steps behind a call when what was called is over.
class Return {
  public:
    explicit Return(const CallMade &call) : call_(call) {}
    // Whether the step comes after it.
    bool is_after(const Prepared &prepared, const Steps &steps, uint32_t at) {
        const uint32_t id = steps.sequence().block[at];
        if (!id)
            return false;
        if (returned_ || (!call_.jumps && steps.activation() == call_.activation))
            return true;
        returned_ = call_.jumps && steps.activation() == call_.activation &&
                    prepared.source().block(id).jump == stream::Jump::ret &&
                    steps.sequence().exit[at] == stream::ran_to_end;
        return false;
    }

  private:
    const CallMade call_;
    bool returned_ = false;
};

void add_definitions(const Effects &effects, RegisterSet &to) {
    for (const Instruction &one : effects.instructions)
        if (one.role != Role::restore_state)
            for (RegisterPart part : effects.definitions(one))
                to.add(part);
}

RegisterSet result_registers() {
    RegisterSet made;
    made.add_general(1u << stream::rax | 1u << 2);
    made.add(stream::vector_registers, 2 * 32);
    made.add(stream::x87_registers, 64);
    return made;
}

} // namespace

RegisterSet argument_registers() {
    // rdi, rsi, rdx, rcx, r8, r9; r10 leads to the variables around a nested function.
    RegisterSet made;
    made.add_general(1u << 7 | 1u << 6 | 1u << 2 | 1u << 1 | 1u << 8 | 1u << 9 | 1u << 10);
    made.add(stream::vector_registers, 8 * 32);
    return made;
}

Handed used_arguments(const Prepared &prepared, const CallMade &call, const RegisterSet &open,
                      std::span<const uint64_t> pushed) {
    Followed followed(open, call.stack);
    OnStack on_stack(call.stack, pushed);
    Return returned(call);
    std::optional<uint64_t> own; // the activation of what is called
    each_step_after(prepared, call.point, [&](const Steps &steps, uint32_t at) {
        if (returned.is_after(prepared, steps, at))
            return false;
        if (!followed.is_over())
            run_step(prepared, steps, at, followed);
        const uint32_t id = steps.sequence().block[at];
        if (id && !own)
            own = steps.activation();
        if (id && call.stack)
            on_stack.run(Execution(steps.sequence(), at, prepared.source().block(id)),
                         prepared.effects(id), steps.activation() == own);
        return true;
    });
    return {call.point, followed.used() & open, on_stack.found()};
}

std::optional<Handed> used_results(const Prepared &prepared, const CallMade &call) {
    RegisterSet made;
    std::optional<Handed> found;
    std::optional<Followed> followed;
    Return returned(call);
    each_step_after(prepared, call.point, [&](const Steps &steps, uint32_t at) {
        const uint32_t id = steps.sequence().block[at];
        if (!followed && !returned.is_after(prepared, steps, at)) {
            if (id)
                add_definitions(prepared.effects(id), made);
            else
                made |= steps.effect(at).registers_defined;
            return true;
        }
        if (!followed) {
            found = Handed{{steps.number(at), 0}, {}, {}};
            followed.emplace(result_registers() & made, call.stack);
        }
        run_step(prepared, steps, at, *followed);
        // The x87 registers are one to us, and library code moves whole vectors about whose upper
        // parts nobody has set: whoever uses them after another call seems to use a result.
        if (id && prepared.source().block(id).jump == stream::Jump::call)
            followed->forget_rest();
        return !followed->is_over();
    });
    if (!followed || followed->used().empty())
        return std::nullopt;
    found->registers = followed->used();
    return found;
}

} // namespace heapstory::slice
