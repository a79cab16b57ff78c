// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/forward.h"

#include "slice/decisions.h"
#include "slice/hits.h"
#include "slice/live_memory.h"
#include "slice/steps.h"
#include "stream/execution.h"
#include "stream/state.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace heapstory::slice {

namespace {

using stream::Access;
using stream::AccessKind;
using stream::Block;
using stream::Effect;
using stream::Effects;
using stream::Execution;
using stream::Instruction;
using stream::RegisterPart;
using stream::RegisterSet;
using stream::Role;

// What says of a block whether it can be passed by.
struct Outline {
    RegisterSet touched; // that its instructions define or use
    bool saves = false;
};

std::vector<Outline> outlines_of(const Prepared &prepared) {
    std::vector<Outline> outlines(prepared.source().blocks() + 1);
    for (uint32_t id = 1; id < outlines.size(); ++id) {
        for (RegisterPart part : prepared.effects(id).parts)
            outlines[id].touched.add(part);
        for (const Instruction &one : prepared.effects(id).instructions)
            outlines[id].saves |= one.role == Role::save;
    }
    return outlines;
}

class Walk {
  public:
    Walk(const Prepared &prepared, const Options &options, Marks *into)
        : prepared_(prepared), source_(prepared.source()), graph_(prepared.graph()),
          options_(options), into_(into), outlines_(outlines_of(prepared)), steps_(prepared) {}

    Slice run(const Origin &origin, const Progress &progress) {
        origin_ = &origin;
        first_ = first_point(origin.criterion);
        const uint64_t last = std::min(origin.last_step, prepared_.steps() - 1);
        if (last < first_.step)
            return {};
        const bool history = origin.history && options_.conventions && options_.control;
        const uint32_t first = history ? 0 : prepared_.sequence_of(first_.step),
                       end = prepared_.sequence_of(last) + 1;
        for (uint32_t number = first; number < end; ++number) {
            if (progress)
                progress(number - first, end - first);
            steps_.read(number);
            walk(last);
        }
        Slice slice = hits_.result(prepared_);
        slice.visited = visited_;
        return slice;
    }

  private:
    // A register put away. It is in the slice only if somebody else than who gets it back loads it.
    struct Save {
        uint32_t block;
        uint16_t instruction;
        uint64_t step;
        uint8_t saved;
        bool in;    // it depends on the criterion whether or what is saved
        bool value; // what is saved does
    };

    static Point first_point(const Criterion &criterion) {
        return criterion.instructions.empty() ? criterion.point : criterion.instructions.front();
    }

    void walk(uint64_t last) {
        for (uint32_t at = 0; at < steps_.count(); ++at) {
            const uint64_t step = steps_.number(at);
            if (step > last)
                return;
            steps_.enter(at);
            decisions_.enter(steps_.activation());
            if (step < first_.step) {
                remember_saves(at, step, ~0u);
                continue;
            }
            if (step == first_.step) {
                starting_thread_ = steps_.thread();
                remember_saves(at, step, first_.instruction);
            }
            ++visited_;
            run_step(at, step);
        }
    }

    // What is saved and written over before the slice starts, `upto` an instruction of the step.
    void remember_saves(uint32_t at, uint64_t step, unsigned upto) {
        const uint32_t id = steps_.sequence().block[at];
        if (!upto)
            return;
        if (!id) {
            for (const stream::Range &range : steps_.effect(at).defined)
                put(range.address, range.size, false);
            return;
        }
        const Block &block = source_.block(id);
        const Execution execution(steps_.sequence(), at, block);
        if (!outlines_[id].saves && !writes_watched(execution, block))
            return;
        const Effects &effects = prepared_.effects(id);
        registers_ = &registers_of_[steps_.thread()];
        const unsigned count = std::min(upto, execution.instructions(effects));
        for (unsigned i = 0; i < count; ++i)
            if (effects.instructions[i].role != Role::save ||
                !passes_through(execution, id, i, step, false))
                define(execution, effects, i, false);
    }

    bool writes_watched(const Execution &execution, const Block &block) const {
        for (const Access &access : block.accesses)
            if (access.kind == AccessKind::store &&
                watched_.meets(execution.address(access), access.size))
                return true;
        return false;
    }

    // The registers and memory of the criterion, when its point is reached.
    void start(Point now) {
        const Criterion &criterion = origin_->criterion;
        if (started_ || now < criterion.point)
            return;
        started_ = true;
        registers_of_[starting_thread_] |= criterion.registers;
        for (const stream::Range &range : criterion.memory)
            put(range.address, range.size, true);
    }

    // Whether an instruction is one that the slice starts with.
    bool starts(Point now) const {
        if (origin_->stretch_end)
            return steps_.thread() == starting_thread_ && now < *origin_->stretch_end;
        const std::vector<Point> &all = origin_->criterion.instructions;
        return std::find(all.begin(), all.end(), now) != all.end();
    }
    bool may_start(uint64_t step) const {
        return !started_ || (origin_->stretch_end && step <= origin_->stretch_end->step);
    }

    void run_step(uint32_t at, uint64_t step) {
        registers_ = &registers_of_[steps_.thread()];
        start({step, 0});
        const uint32_t id = steps_.sequence().block[at];
        if (!id) {
            const bool is_in = run_effect(steps_.effect(at), step);
            if (const uint64_t handler = options_.control && is_in ? steps_.callee(at) : 0)
                decisions_.begin(handler, true);
            return;
        }
        const Block &block = source_.block(id);
        const Execution execution(steps_.sequence(), at, block);
        if (block.jump == stream::Jump::ret)
            decisions_.end();
        if (!may_start(step) && passes_by(execution, id, block))
            return;
        const bool last_is_in = run_block(execution, id, step);
        const Activations::Return *back =
            options_.control && block.jump == stream::Jump::ret ? steps_.returned(at) : nullptr;
        if (back)
            decisions_.returned(back->caller, back->node, last_is_in);
        if (options_.control && last_is_in && block.jump == stream::Jump::call)
            if (const uint64_t callee = steps_.callee(at))
                decisions_.begin(callee, true);
    }

    bool passes_by(const Execution &execution, uint32_t id, const Block &block) const {
        if (decisions_.now() || registers_->meets(outlines_[id].touched) ||
            (options_.conventions && outlines_[id].saves) || prepared_.made(id).size)
            return false;
        for (const Access &access : block.accesses)
            if (watched_.meets(execution.address(access), access.size) &&
                (access.kind == AccessKind::store ||
                 memory_.meets(execution.address(access), access.size)))
                return false;
        return true;
    }

    // Whether the last instruction that ran is in the slice.
    bool run_block(const Execution &execution, uint32_t id, uint64_t step) {
        const unsigned count = execution.instructions(prepared_.effects(id));
        const unsigned begin = step == first_.step ? first_.instruction : 0;
        unsigned first = 0;
        bool in = false;
        for (const BlockPart &part : graph_.parts(id)) {
            if (first >= count)
                break;
            const bool decided = decisions_.over(graph_, part.node);
            for (unsigned i = std::max(first, begin); i < part.end && i < count; ++i)
                in = run_instruction(execution, id, i, step, decided);
            if (options_.control && part.end > begin && part.end <= count)
                decisions_.ran(graph_, part.node, in);
            first = part.end;
        }
        return in;
    }

    // Whether the instruction is in the slice.
    bool run_instruction(const Execution &execution, uint32_t id, unsigned i, uint64_t step,
                         bool decided) {
        const Effects &effects = prepared_.effects(id);
        const Instruction &one = effects.instructions[i];
        const Point now{step, uint16_t(i)};
        start(now);
        if (may_start(step) && starts(now)) {
            define(execution, effects, i, true);
            if (!origin_->stretch_end)
                hit(id, i, step);
            return true;
        }
        if (options_.conventions && one.role != Role::plain &&
            passes_through(execution, id, i, step, decided))
            return false;
        const bool in = decided || (options_.data && !is_lookup(id, i) &&
                                    uses(execution, effects, i, prepared_.made(id)));
        if (in)
            hit(id, i, step);
        define(execution, effects, i, in);
        if (in && options_.conventions && !source_.block(id).own)
            note_links(execution, effects, i);
        return in;
    }

    // Which function a library's name stands for, and how the loader found it, is not asked: as in
    // a backward slice.
    bool is_lookup(uint32_t id, unsigned i) const {
        return options_.conventions && prepared_.ends_lookup(id) &&
               i + 1 == prepared_.effects(id).instructions.size();
    }
    void note_links(const Execution &execution, const Effects &effects, unsigned i) {
        execution.each_access(effects, i, AccessKind::store,
                              [&](const Access &access, uint64_t address) {
                                  if (access.size == 8)
                                      links_.insert(address);
                              });
    }

    // `made`: running the code uses what the program stored there.
    bool uses(const Execution &execution, const Effects &effects, unsigned i, stream::Range made) {
        const Instruction &one = effects.instructions[i];
        const bool links = one.role == Role::link || one.role == Role::resolve;
        bool in = false;
        for (RegisterPart part : effects.uses(one))
            in |= registers_->meets(part);
        if (options_.addresses)
            for (RegisterPart part : effects.address_uses(one))
                in |= registers_->meets(part);
        execution.each_access(
            effects, i, AccessKind::load, [&](const Access &access, uint64_t address) {
                if (!memory_.meets(address, access.size) || (links && links_.count(address)))
                    return;
                in = true;
                settle_saves(address, access.size);
            });
        return in || (made.size && memory_.meets(made.address, made.size));
    }

    void define(const Execution &execution, const Effects &effects, unsigned i, bool in) {
        in = in && options_.data;
        for (RegisterPart part : effects.definitions(effects.instructions[i]))
            in ? registers_->add(part) : registers_->remove(part);
        execution.each_access(
            effects, i, AccessKind::store,
            [&](const Access &access, uint64_t address) { put(address, access.size, in); });
    }

    void put(uint64_t address, uint64_t size, bool in) {
        if (watched_.meets(address, size))
            forget(address, size);
        if (!in)
            return;
        memory_.add(address, size);
        watched_.add(address, size);
    }

    // Saving a register and getting it back, or making the frame pointer: what was influenced
    // passes through unchanged.
    bool passes_through(const Execution &execution, uint32_t id, unsigned i, uint64_t step,
                        bool decided) {
        const Effects &effects = prepared_.effects(id);
        const Instruction &one = effects.instructions[i];
        if (one.role == Role::link || one.role == Role::resolve)
            return false;
        if (one.role == Role::frame) {
            registers_->remove(stream::general_registers + 8 * stream::rbp, 8);
            return true;
        }
        if (one.role == Role::save_state || one.role == Role::restore_state) {
            pass_state(execution, id, i);
            return true;
        }
        std::optional<uint64_t> slot;
        const auto kind = one.role == Role::save ? AccessKind::store : AccessKind::load;
        execution.each_access(effects, i, kind, [&](const Access &access, uint64_t address) {
            if (access.size == 8)
                slot = address;
        });
        if (!slot)
            return false;
        const unsigned first = stream::general_registers + 8 * one.saved;
        if (one.role == Role::restore)
            return restore(*slot, first, one.saved);
        RegisterSet reg;
        reg.add(first, 8);
        const bool value = registers_->meets(reg);
        const bool in =
            decided || (options_.data && uses(execution, effects, i, prepared_.made(id)));
        put(*slot, 8, in && options_.data);
        watched_.add(*slot, 8);
        saves_[*slot] = {id, uint16_t(i), step, one.saved, in, value};
        return true;
    }

    void pass_state(const Execution &execution, uint32_t id, unsigned i) {
        const Effects &effects = prepared_.effects(id);
        const bool saves = effects.instructions[i].role == Role::save_state;
        stream::each_of_state(execution, source_.block(id), effects, i,
                              [&](unsigned first, uint64_t slot) {
                                  const RegisterPart part = stream::part_of(first);
                                  if (saves)
                                      put(slot, 8, registers_->meets(part));
                                  else if (memory_.meets(slot, 8))
                                      registers_->add(part);
                                  else
                                      registers_->remove(part);
                              });
    }

    bool restore(uint64_t slot, unsigned first, uint8_t saved) {
        auto found = saves_.find(slot);
        if (found == saves_.end() || found->second.saved != saved)
            return false;
        registers_->remove(first, 8);
        if (found->second.value)
            registers_->add(stream::part_of(first));
        return true;
    }

    // The saves that some bytes belong to.
    template <class Visit> void each_save(uint64_t address, uint64_t size, Visit visit) {
        for (uint64_t slot = address > 7 ? address - 7 : 0; slot < address + size; ++slot)
            if (auto found = saves_.find(slot); found != saves_.end())
                visit(found);
    }

    // What was saved is loaded by something else than who gets it back.
    void settle_saves(uint64_t address, uint64_t size) {
        if (!saves_.empty())
            each_save(address, size, [&](auto found) {
                if (std::exchange(found->second.in, false))
                    hit(found->second.block, found->second.instruction, found->second.step);
            });
    }

    // Something else is written there.
    void forget(uint64_t address, uint64_t size) {
        each_save(address, size, [&](auto found) { saves_.erase(found); });
        if (!links_.empty())
            for (uint64_t at = address > 7 ? address - 7 : 0; at < address + size; ++at)
                links_.erase(at);
        memory_.remove(address, size);
        watched_.remove(address, size);
    }

    // A handler's registers are not those of the code that it interrupted. Whether it is in.
    bool run_effect(const Effect &effect, uint64_t step) {
        std::vector<RegisterSet> &interrupted = interrupted_[steps_.thread()];
        if (effect.kind == stream::EffectKind::signal)
            interrupted.push_back(std::exchange(*registers_, {}));
        const bool is_in = take_effect(effect, step);
        // It may have come, or have this handler, because of what is in: nobody knows.
        if (effect.kind == stream::EffectKind::signal && !is_in && step >= first_.step)
            hits_.add_signal();
        if (effect.kind == stream::EffectKind::signal_return && !interrupted.empty()) {
            *registers_ = interrupted.back();
            interrupted.pop_back();
        }
        return is_in;
    }

    // What is no instruction depends on the branch that the one depends on which it counts for.
    bool is_decided(const Effect &effect) const {
        if (!decisions_.now())
            return false;
        const uint32_t node = graph_.node_at(effect.address);
        return decisions_.over(graph_, node ? node : decisions_.now()->last_node);
    }

    // Whether any of what an effect uses comes from the criterion.
    bool loads(const Effect &effect, size_t first, size_t end) {
        bool found = false;
        for (size_t i = first; i < end; ++i)
            if (memory_.meets(effect.used[i].address, effect.used[i].size)) {
                found = true;
                settle_saves(effect.used[i].address, effect.used[i].size);
            }
        return found;
    }

    bool take_effect(const Effect &effect, uint64_t step) {
        const bool started = may_start(step) && starts({step, 0});
        const bool placed = loads(effect, effect.values(), effect.used.size()) ||
                            registers_->meets(effect.registers_addressed);
        // Of a copy, whether all of it comes from the criterion.
        const bool whole = started || is_decided(effect) ||
                           registers_->meets(effect.registers_used) ||
                           (options_.addresses && placed);
        const bool in = loads(effect, 0, effect.values()) || whole;
        if (in && (!started || !origin_->stretch_end))
            hit_effect(effect.address, step);
        if (effect.kind == stream::EffectKind::copy && !whole) {
            for (size_t i = 0; i < effect.values(); ++i)
                copy(effect.used[i].address, effect.defined[i].address, effect.defined[i].size);
        } else
            for (const stream::Range &range : effect.defined)
                put(range.address, range.size, in && options_.data);
        for (unsigned word = 0; word < RegisterSet::words; ++word) {
            const RegisterPart part{uint8_t(word), effect.registers_defined.part(word)};
            in &&options_.data ? registers_->add(part) : registers_->remove(part);
        }
        return in;
    }

    void copy(uint64_t from, uint64_t to, uint64_t size) {
        std::vector<uint64_t> found;
        if (memory_.meets(from, size))
            for (uint64_t i = 0; i < size; ++i)
                if (memory_.has(from + i))
                    found.push_back(i);
        put(to, size, false);
        for (uint64_t i : found)
            put(to + i, 1, true);
    }

    void hit(uint32_t id, unsigned i, uint64_t step) {
        hits_.add(id, i, step);
        if (into_)
            into_->add(step, i);
    }
    void hit_effect(uint64_t address, uint64_t step) {
        hits_.add_effect(address, step);
        if (into_)
            into_->add(step, 0);
    }

    const Prepared &prepared_;
    const stream::Source &source_;
    const FlowGraph &graph_;
    const Options options_;
    Marks *const into_;
    const std::vector<Outline> outlines_; // by block
    const Origin *origin_ = nullptr;
    Point first_;          // of what starts the slice
    bool started_ = false; // the criterion's point is reached

    ForwardSteps steps_;
    uint32_t starting_thread_ = 0;

    std::unordered_map<uint32_t, RegisterSet> registers_of_;             // by thread
    std::unordered_map<uint32_t, std::vector<RegisterSet>> interrupted_; // the same, by signals
    RegisterSet *registers_ = nullptr;
    LiveMemory memory_;
    LiveMemory watched_; // the same, and where registers are saved
    ActivationDecisions<bool> decisions_;
    std::unordered_map<uint64_t, Save> saves_; // by the address of what was saved
    std::unordered_set<uint64_t> links_;       // words that others' code filled in
    Hits hits_;
    uint64_t visited_ = 0;
};

} // namespace

Slice forward(const Prepared &prepared, const Origin &origin, const Options &options,
              const Progress &progress, Marks *into) {
    return Walk(prepared, options, into).run(origin, progress);
}

} // namespace heapstory::slice
