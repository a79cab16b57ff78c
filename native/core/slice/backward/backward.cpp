// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/backward/backward.h"

#include "slice/hits.h"
#include "slice/live_memory.h"
#include "slice/backward/pending.h"
#include "stream/execution.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace heapstory::slice {

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
using stream::Sequence;

namespace {

// `Why` is told all that happens: Reasons, or NoReasons where nobody asks.
template <class Why> class Walk {
  public:
    Walk(const Prepared &prepared, const Options &options, Why &why, const Marks *within = nullptr)
        : prepared_(prepared), source_(prepared.source()), graph_(prepared.graph()),
          options_(options), why_(why), hits_(within) {
        activations_.wants_origins = Why::on;
    }

    Slice run(const Criterion &criterion, const Progress &progress) {
        const uint32_t number = prepared_.sequence_of(criterion.point.step);
        asked_ = criterion.instructions;
        for (uint32_t left = number + 1; left-- > 0;) {
            if (progress)
                progress(number - left, number + 1);
            if (index_ && left < number && is_known(left))
                break;
            source_.read(left, sequence_);
            prepared_.follow(left, sequence_, activations_);
            if constexpr (Why::on)
                why_.enter(activations_);
            uint32_t from = sequence_.steps();
            if (left == number)
                from = start(criterion);
            walk(from);
        }
        if (index_)
            finish_index();
        return result();
    }

    void set_index(WalkIndex *index) { index_ = index; }
    // From the criterion on; none without an index.
    const Checkpoint *points() const { return points_.empty() ? nullptr : points_.front().get(); }

  private:
    // Whether an earlier walk looked for the same before a sequence; else leaves a checkpoint.
    bool is_known(uint32_t sequence) {
        if (!WalkIndex::stops(sequence, source_.sequences()) || !asked_.empty())
            return false;
        leave_activation();
        now_.tidy();
        finish_point();
        rest_ = index_->find(sequence, now_, [&](const Checkpoint &at) {
            if constexpr (Why::on)
                return why_.fits(at.reasons.stand_ins, *at.rest);
            return true;
        });
        if (rest_) {
            if constexpr (Why::on) {
                std::vector<Behind> &behind = points_.back()->reasons.behind;
                behind = translated(behind, why_.stand_ins(), rest_->reasons.stand_ins);
            }
            return true;
        }
        points_.push_back(std::make_shared<Checkpoint>());
        points_.back()->sequence = sequence;
        points_.back()->frontier = now_;
        return false;
    }

    // Puts what was found since the last checkpoint there; the first stands for the criterion.
    void finish_point() {
        if (points_.empty())
            points_.push_back(std::make_shared<Checkpoint>());
        points_.back()->found = std::exchange(hits_, Hits());
        if constexpr (Why::on)
            points_.back()->reasons = why_.cut();
    }

    // What was found since the last checkpoint, and what was known from there on.
    void finish_index() {
        if (!rest_) {
            finish_point();
            points_.back()->unresolved = now_.bytes();
            if constexpr (Why::on)
                points_.back()->left = memory_;
        }
        for (size_t i = points_.size(); i-- > 0;) {
            Checkpoint &point = *points_[i];
            point.next = i + 1 < points_.size() ? points_[i + 1] : rest_;
            if constexpr (Why::on)
                point.rest.emplace(point.reasons, point.next ? &*point.next->rest : nullptr);
        }
        if (points_.size() > 1)
            index_->keep(points_[1]);
        for (const Checkpoint *at = points_.front().get(); at; at = at->next.get())
            hits_.add(at->found);
    }

    // A block that ran, and where in it the walk is.
    struct Running {
        Running(const Walk &walk, uint32_t at, uint32_t id)
            : at(at), id(id), block(walk.source_.block(id)), effects(walk.prepared_.effects(id)),
              execution(walk.sequence_, at, block), ran(execution.instructions(effects)),
              parts(walk.graph_.parts(id)) {}

        const uint32_t at, id;
        const Block &block;
        const Effects &effects;
        const Execution execution;
        const unsigned ran;               // instructions
        std::span<const BlockPart> parts; // the last one is that of the present instruction

        const Instruction &instruction(unsigned i) const { return effects.instructions[i]; }
        uint32_t node() const { return parts.back().node; }
        // Makes an instruction before the present one the present one.
        void go_to(unsigned i) {
            while (parts.size() > 1 && i < parts[parts.size() - 2].end)
                parts = parts.first(parts.size() - 1);
        }
        bool ends_part(unsigned i) const { return parts.back().end == i + 1; }
        template <class Visit> void each_access(unsigned i, AccessKind kind, Visit visit) const {
            execution.each_access(effects, i, kind, visit);
        }
    };

    // Why an instruction is wanted, beside what it defines.
    struct Wanted {
        bool asked = false, decides = false, calls = false;
        explicit operator bool() const { return asked || decides || calls; }
    };

    // Everything at the criterion's step; returns the step to walk back from.
    uint32_t start(const Criterion &criterion) {
        const auto at = uint32_t(criterion.point.step - sequence_.first_step);
        enter(at);
        *registers_ |= criterion.registers;
        for (const stream::Range &range : criterion.memory)
            memory_.add(range.address, range.size);
        if constexpr (Why::on) {
            why_.take_criterion();
            for (unsigned word = 0; word < RegisterSet::words; ++word)
                if (uint64_t bits = criterion.registers.part(word))
                    why_.used(thread_, {uint8_t(word), bits});
            for (const stream::Range &range : criterion.memory)
                why_.loaded(range.address, range.size);
        }
        if (const uint32_t id = sequence_.block[at]) {
            Running now(*this, at, id);
            unsigned count = now.ran;
            if (is_asked(at)) // also where it faulted
                count = std::max(count, asked_.back().instruction + 1u);
            look_at_block(now, std::min<unsigned>(count, criterion.point.instruction), false);
        } else if (criterion.point.instruction)
            take_effect(at, sequence_.effects[sequence_.operand[at]], is_asked(at));
        return at;
    }

    void walk(uint32_t from) {
        for (uint32_t at = from; at-- > 0;) {
            ++visited_;
            enter(at);
            const uint32_t id = sequence_.block[at];
            if (!id) {
                take_effect(at, sequence_.effects[sequence_.operand[at]], is_asked(at));
                continue;
            }
            const Block &block = source_.block(id);
            const bool called = block.jump == stream::Jump::call && begins_wanted(at);
            const bool passes = !called && !is_asked(at) && passes_by(at, id, block);
            if (passes && !Why::on)
                continue;
            Running now(*this, at, id);
            if constexpr (Why::on)
                if (passes) {
                    why_.pass_block(activation_, id, now.ran);
                    continue;
                }
            look_at_block(now, now.ran, called);
        }
    }

    // Whether the criterion has an instruction in a step.
    bool is_asked(uint32_t at) const {
        return !asked_.empty() && asked_.back().step == sequence_.first_step + at;
    }

    void look_at_block(Running &now, unsigned count, bool called) {
        if (!count)
            return;
        now.go_to(count - 1);
        pending_->meet(graph_, now.node());
        if constexpr (Why::on)
            why_.meets(activation_, now.node());
        for (unsigned i = count; i-- > 0;) {
            now.go_to(i);
            Wanted wanted;
            wanted.asked = is_asked(now.at) && asked_.back().instruction == i;
            wanted.calls = called && i + 1 == count;
            if (wanted.asked)
                asked_ = asked_.first(asked_.size() - 1);
            look_at(now, i, wanted);
        }
    }

    // Makes the thread and the activation of a step the present ones.
    void enter(uint32_t at) {
        if (sequence_.first_step != seen_) {
            seen_ = sequence_.first_step;
            switch_ = sequence_.switches.size();
            call_ = activations_.calls.size();
        }
        while (switch_ > 0 && sequence_.switches[switch_ - 1].step > at)
            --switch_;
        uint32_t thread = switch_ ? sequence_.switches[switch_ - 1].thread : 0;
        if (!registers_ || thread != thread_) {
            thread_ = thread;
            registers_ = &registers_of_[thread];
        }
        uint64_t activation = activations_.of_step[at];
        if (activation != activation_ || !pending_) {
            if (pending_ && pending_->empty())
                pending_of_.erase(activation_);
            activation_ = activation;
            pending_ = &pending_of_[activation];
        }
    }
    // As if no step had been entered.
    void leave_activation() {
        registers_ = nullptr;
        pending_ = nullptr;
    }

    // Whether the activation that a call began holds something that nothing in it decided over.
    bool begins_wanted(uint32_t at) {
        while (call_ > 0 && activations_.calls[call_ - 1].step > at)
            --call_;
        if (!call_ || activations_.calls[call_ - 1].step != at)
            return false;
        callee_ = activations_.calls[call_ - 1].callee;
        if constexpr (Why::on)
            why_.end(callee_);
        auto found = pending_of_.find(callee_);
        if (found == pending_of_.end())
            return false;
        const bool wanted = !found->second.empty();
        pending_of_.erase(found);
        return wanted;
    }

    bool passes_by(uint32_t at, uint32_t id, const Block &block) const {
        if (!pending_->empty() || registers_->meets(prepared_.effects(id).defined))
            return false;
        const Execution execution(sequence_, at, block);
        for (const Access &access : block.accesses)
            if (access.kind == AccessKind::store &&
                memory_.meets(execution.address(access), access.size))
                return false;
        return true;
    }

    void look_at(const Running &now, unsigned i, Wanted wanted) {
        const Instruction &one = now.instruction(i);
        if constexpr (Why::on)
            why_.pass(activation_, now.id, i);
        if (options_.control && now.ends_part(i))
            wanted.decides = graph_.is_branch(now.node()) && pending_->take(graph_, now.node());
        bool by_register = false, by_memory = false;
        if (!links_.empty() && !now.block.own)
            drop_links(now, i);
        if (options_.data || wanted) {
            for (RegisterPart part : now.effects.definitions(one))
                by_register |= registers_->meets(part);
            now.each_access(i, AccessKind::store, [&](const Access &access, uint64_t address) {
                by_memory |= memory_.meets(address, access.size);
            });
        }
        if (!wanted && !by_register && !by_memory)
            return;
        if (options_.conventions && !wanted && one.role != Role::plain &&
            is_transparent(now, i, by_memory))
            return;
        take(now, i, wanted);
    }

    // Puts an execution of an instruction into the slice.
    void take(const Running &now, unsigned i, Wanted wanted) {
        // The one that faulted is only there because it is asked for.
        const bool completed = !wanted.asked || i < now.ran;
        if constexpr (Why::on)
            tell(now, i, wanted, completed);
        hits_.add(now.id, i, sequence_.first_step + now.at);
        if (completed) {
            for (RegisterPart part : now.effects.definitions(now.instruction(i)))
                registers_->remove(part);
            now.each_access(i, AccessKind::store, [&](const Access &access, uint64_t address) {
                settle_restores(address, access.size);
                memory_.remove(address, access.size);
            });
        }
        if constexpr (Why::on)
            if (why_.stops() && !wanted.asked)
                return;
        use(now, i, completed);
        if (options_.control)
            wait(activation_, *pending_, now.node());
    }

    // Who waited for what is taken.
    void tell(const Running &now, unsigned i, Wanted wanted, bool completed) {
        why_.take(sequence_.first_step + now.at, thread_, activation_, now.id, i);
        if (wanted.asked)
            why_.asked_for();
        if (wanted.decides)
            why_.decided(activation_, graph_, now.node());
        if (wanted.calls)
            why_.called(callee_);
        if (!completed)
            return;
        for (RegisterPart part : now.effects.definitions(now.instruction(i)))
            why_.defined(thread_, part);
        now.each_access(i, AccessKind::store, [&](const Access &access, uint64_t address) {
            why_.stored(address, access.size,
                        access.size <= 8 ? std::optional(now.execution.value(access))
                                         : std::nullopt);
        });
    }

    void wait(uint64_t activation, Pending &pending, uint32_t node) {
        pending.add(graph_, node);
        if constexpr (Why::on)
            why_.waits(activation, node);
    }

    void use(const Running &now, unsigned i, bool completed) {
        const Instruction &one = now.instruction(i);
        if (!options_.data || is_lookup(now, i))
            return;
        auto use_part = [&](RegisterPart part) {
            registers_->add(part);
            if constexpr (Why::on)
                why_.used(thread_, part);
        };
        for (RegisterPart part : now.effects.uses(one))
            use_part(part);
        if (options_.addresses || !completed)
            for (RegisterPart part : now.effects.address_uses(one))
                use_part(part);
        if (completed)
            now.each_access(i, AccessKind::load, [&](const Access &access, uint64_t address) {
                note_link(one, address);
                memory_.add(address, access.size);
                if constexpr (Why::on)
                    why_.loaded(address, access.size);
            });
    }

    // Which function a library's name stands for is looked up by the loader when it is first
    // called: whoever called it then has no part in what is looked for. Words through which code
    // goes to another module are therefore not looked for in what others' code stored.
    void note_link(const Instruction &one, uint64_t address) {
        if (!options_.conventions)
            return;
        if (one.role != Role::link && one.role != Role::resolve)
            links_.erase(address);
        else if (!memory_.has(address))
            links_.insert(address);
    }

    // How the loader found the function is not asked, either.
    bool is_lookup(const Running &now, unsigned i) const {
        return options_.conventions && prepared_.ends_lookup(now.id) &&
               i + 1 == now.effects.instructions.size();
    }

    void drop_links(const Running &now, unsigned i) {
        now.each_access(i, AccessKind::store, [&](const Access &access, uint64_t address) {
            if (access.size != 8 || !links_.erase(address))
                return;
            memory_.remove(address, access.size);
            if constexpr (Why::on)
                why_.forget(address, access.size);
        });
    }

    // Saving a register and getting it back, or making the frame pointer: what is looked for passes
    // through unchanged.
    bool is_transparent(const Running &now, unsigned i, bool by_memory) {
        const Instruction &one = now.instruction(i);
        unsigned first = stream::general_registers + 8 * one.saved;
        if (one.role == Role::frame) {
            forget_frame_pointer();
            return true;
        }
        uint64_t slot = 0;
        bool found = false;
        auto kind = one.role == Role::save ? AccessKind::store : AccessKind::load;
        now.each_access(i, kind, [&](const Access &access, uint64_t address) {
            found = access.size == 8;
            slot = address;
        });
        if (!found)
            return false;
        if (one.role == Role::restore) {
            if (by_memory || !(registers_->has(first)))
                return false;
            registers_->remove(first, 8);
            memory_.add(slot, 8);
            restores_[slot] = {now.id, uint16_t(i), sequence_.first_step + now.at, activation_,
                               one.saved};
            if constexpr (Why::on)
                why_.restored(thread_, first, slot);
            return true;
        }
        auto waiting = restores_.find(slot);
        if (waiting == restores_.end() || waiting->second.saved != one.saved)
            return false;
        restores_.erase(waiting);
        memory_.remove(slot, 8);
        registers_->add(first, 8);
        if constexpr (Why::on)
            why_.saved(thread_, first, slot);
        return true;
    }

    void forget_frame_pointer() {
        constexpr unsigned first = stream::general_registers + 8 * stream::rbp;
        registers_->remove(first, 8);
        if constexpr (Why::on)
            why_.forget(thread_, {uint8_t(first / 64), uint64_t(0xff) << first % 64});
    }

    // A store that is no save of the register: what got it back was a load like any other.
    void settle_restores(uint64_t address, uint64_t size) {
        if (restores_.empty())
            return;
        for (uint64_t slot = address > 7 ? address - 7 : 0; slot < address + size; ++slot) {
            auto found = restores_.find(slot);
            if (found == restores_.end())
                continue;
            const Restore &restore = found->second;
            hits_.add(restore.block, restore.instruction, restore.step);
            if (options_.control)
                pending_of_[restore.activation].add(
                    graph_, graph_.node_of(restore.block, restore.instruction));
            restores_.erase(found);
        }
    }

    // A handler's registers are not those of the code that it interrupted. What the kernel hands
    // over when it begins is of the handler.
    void take_effect(uint32_t at, const Effect &effect, bool wanted) {
        std::vector<RegisterSet> &interrupted = interrupted_[thread_];
        if (effect.kind == stream::EffectKind::signal_return)
            interrupted.push_back(std::exchange(*registers_, {}));
        look_at_effect(at, effect, wanted);
        if (effect.kind == stream::EffectKind::signal && !interrupted.empty()) {
            *registers_ = interrupted.back();
            interrupted.pop_back();
        }
    }

    void look_at_effect(uint32_t at, const Effect &effect, bool wanted) {
        bool by_data = registers_->meets(effect.registers_defined);
        for (const stream::Range &range : effect.defined)
            by_data |= memory_.meets(range.address, range.size);
        if (!wanted && !(by_data && options_.data))
            return;
        hits_.add_effect(effect.address, sequence_.first_step + at);
        if (wanted)
            asked_ = asked_.first(asked_.size() - 1);
        if constexpr (Why::on)
            tell_effect(at, effect, wanted);
        if (options_.control)
            wait_for_effect(effect);
        for (unsigned word = 0; word < RegisterSet::words; ++word)
            registers_->remove({uint8_t(word), effect.registers_defined.part(word)});
        if (!options_.data)
            return;
        // As a criterion, a copy is asked for all of it.
        if (effect.kind == stream::EffectKind::copy && !wanted) {
            for (size_t i = 0; i < effect.defined.size() && i < effect.used.size(); ++i)
                memory_.move(effect.defined[i].address, effect.used[i].address,
                             effect.defined[i].size);
        } else {
            for (const stream::Range &range : effect.defined)
                memory_.remove(range.address, range.size);
            for (const stream::Range &range : effect.used)
                memory_.add(range.address, range.size);
        }
        *registers_ |= effect.registers_used;
        if (options_.addresses)
            *registers_ |= effect.registers_addressed;
    }

    // Why a signal came is not known.
    void wait_for_effect(const Effect &effect) {
        if (effect.kind == stream::EffectKind::signal)
            return;
        if (const uint32_t node = graph_.node_at(effect.address)) {
            wait(activation_, *pending_, node);
            return;
        }
        pending_->add_as_before();
        if constexpr (Why::on)
            why_.waits_as_before(activation_);
    }

    void tell_effect(uint32_t at, const Effect &effect, bool asked) {
        why_.take_effect(sequence_.first_step + at, thread_, activation_, effect.address);
        if (asked)
            why_.asked_for();
        if (effect.kind == stream::EffectKind::copy && !asked) {
            for (size_t i = 0; i < effect.defined.size() && i < effect.used.size(); ++i)
                why_.copied(effect.defined[i].address, effect.used[i].address,
                            effect.defined[i].size);
        } else {
            for (const stream::Range &range : effect.defined)
                why_.stored(range.address, range.size, std::nullopt);
            for (const stream::Range &range : effect.used)
                why_.loaded(range.address, range.size);
        }
        for (unsigned word = 0; word < RegisterSet::words; ++word) {
            why_.defined(thread_, {uint8_t(word), effect.registers_defined.part(word)});
            if (uint64_t bits = effect.registers_used.part(word))
                why_.used(thread_, {uint8_t(word), bits});
        }
    }

    Slice result() {
        Slice slice = hits_.result(prepared_);
        slice.visited = visited_;
        slice.unresolved = now_.bytes();
        for (const Checkpoint *at = points(); at; at = at->next.get())
            slice.unresolved = at->unresolved;
        return slice;
    }

    const Prepared &prepared_;
    const stream::Source &source_;
    const FlowGraph &graph_;
    const Options options_;
    Why &why_;

    std::span<const Point> asked_; // what is left of the criterion's instructions
    Sequence sequence_;
    Activations activations_;
    uint64_t seen_ = ~uint64_t(0); // the first step of the sequence that was entered last
    size_t switch_ = 0, call_ = 0; // of the sequence, walked back

    Frontier now_;
    decltype(Frontier::registers) &registers_of_ = now_.registers;
    decltype(Frontier::interrupted) &interrupted_ = now_.interrupted;
    LiveMemory &memory_ = now_.memory;
    decltype(Frontier::pending) &pending_of_ = now_.pending;
    decltype(Frontier::restores) &restores_ = now_.restores;
    decltype(Frontier::links) &links_ = now_.links;
    RegisterSet *registers_ = nullptr;
    uint32_t thread_ = 0;
    Pending *pending_ = nullptr;
    uint64_t activation_ = 0;
    uint64_t callee_ = 0; // the activation that the last call met began

    WalkIndex *index_ = nullptr;
    std::vector<std::shared_ptr<Checkpoint>> points_; // of this walk
    std::shared_ptr<const Checkpoint> rest_;          // an earlier walk's, from where both are one
    Hits hits_;
    uint64_t visited_ = 0;
};

} // namespace

Slice backward(const Prepared &prepared, const Criterion &criterion, const Options &options,
               const Progress &progress, const Marks *within) {
    NoReasons why;
    return Walk(prepared, options, why, within).run(criterion, progress);
}

Slice backward(const Prepared &prepared, const Criterion &criterion, const Options &options,
               WalkIndex &index) {
    NoReasons why;
    Walk walk(prepared, options, why);
    walk.set_index(&index);
    return walk.run(criterion, {});
}

Explained explain(const Prepared &prepared, const Statements &statements,
                  const Criterion &criterion, const Options &options, const Explaining &explaining,
                  WalkIndex &index, const Progress &progress) {
    Reasons why(prepared, statements, explaining.stops, explaining.most);
    Walk walk(prepared, options, why);
    walk.set_index(&index);
    Explained made;
    made.slice = walk.run(criterion, progress);
    ReasonsWhole whole;
    const Checkpoint *last = nullptr;
    for (const Checkpoint *at = walk.points(); at; at = at->next.get()) {
        whole.add(at->reasons);
        last = at;
    }
    made.exact = whole.is_exact();
    made.moments = whole.take_moments();
    made.edges = whole.take_edges();
    last->left.each_byte([&](uint64_t address) {
        auto &all = made.unresolved;
        if (!all.empty() && all.back().address + all.back().size == address)
            ++all.back().size;
        else
            all.push_back({address, 1});
    });
    std::ranges::sort(made.unresolved, {}, &stream::Range::address);
    return made;
}

} // namespace heapstory::slice
