// The walk over a stream from its end, as `backward` and `explain` make it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/backward/checkpoints.h"
#include "slice/backward/conventions.h"
#include "slice/backward/effects.h"
#include "slice/backward/running.h"
#include "slice/backward/search.h"
#include "slice/slice.h"
#include "slice/steps.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace heapstory::slice {

// `Why` is told all that happens: Reasons, or NoReasons where nobody asks.
template <class Why> class BackwardWalk {
  public:
    // Where `within` is given, the slice holds nothing else.
    BackwardWalk(const Prepared &prepared, const Options &options, Why &why,
                 const Marks *within = nullptr)
        : prepared_(prepared), graph_(prepared.graph()), options_(options), why_(why),
          steps_(prepared), search_(within), conventions_(prepared, options_, search_, why),
          effects_(graph_, options_, search_, why) {
        if (Why::on)
            steps_.want_origins();
    }
    BackwardWalk(const BackwardWalk &) = delete;

    // With the help of earlier walks by the same options, and for later ones.
    void use_index(WalkIndex &index) { checkpoints_.emplace(index, search_, why_); }

    Slice run(const Criterion &criterion, const Progress &progress = {}) {
        const uint32_t number = prepared_.sequence_of(criterion.point.step);
        asked_ = criterion.instructions;
        handed_ = criterion.handed;
        for (uint32_t left = number + 1; left-- > 0;) {
            if (progress)
                progress(number - left, number + 1);
            if (left < number && is_known(left))
                break;
            steps_.read(left);
            why_.enter(steps_.activations());
            walk(left == number ? start(criterion) : steps_.count());
        }
        if (checkpoints_)
            first_ = checkpoints_->finish();
        return result();
    }

    // From the criterion on; none without an index.
    const Checkpoint *points() const { return first_.get(); }

  private:
    using Return = Activations::Return;

    // Why an instruction is wanted, beside what it defines.
    struct Wanted {
        bool asked = false, decides = false, calls = false, returns = false;
        explicit operator bool() const { return asked || decides || calls || returns; }
    };

    bool is_known(uint32_t sequence) {
        return checkpoints_ && asked_.empty() && handed_.empty() &&
               WalkIndex::stops(sequence, prepared_.source().sequences()) &&
               checkpoints_->is_known(sequence);
    }

    // Everything at the criterion's step; returns the step to walk back from.
    uint32_t start(const Criterion &criterion) {
        const auto at = uint32_t(criterion.point.step - steps_.sequence().first_step);
        enter(at);
        why_.take_criterion();
        use(criterion.registers);
        for (const stream::Range &range : criterion.memory)
            use(range.address, range.size);
        while (!handed_.empty() && handed_.back().point >= criterion.point)
            take_handed();
        if (const uint32_t id = steps_.sequence().block[at]) {
            Running now(prepared_, steps_.sequence(), at, id);
            unsigned count = now.ran;
            if (is_asked(now.step)) // also where it faulted
                count = std::max(count, asked_.back().instruction + 1u);
            look_at_block(now, std::min<unsigned>(count, criterion.point.instruction), 0);
        } else if (criterion.point.instruction)
            pass_effect(at);
        return at;
    }

    void walk(uint32_t from) {
        for (uint32_t at = from; at-- > 0;) {
            ++visited_;
            enter(at);
            if (const uint32_t id = steps_.sequence().block[at])
                pass_block(at, id);
            else
                pass_effect(at);
        }
    }

    void enter(uint32_t at) {
        steps_.enter(at);
        search_.enter(steps_);
    }

    void pass_effect(uint32_t at) {
        const bool asked = take_asked(steps_.number(at), 0);
        effects_.pass(steps_.effect(at), steps_.number(at), asked, wanted_callee(at));
    }

    void pass_block(uint32_t at, uint32_t id) {
        const stream::Block &block = prepared_.source().block(id);
        const uint64_t callee = block.jump == stream::Jump::call ? wanted_callee(at) : 0;
        const Return *back = block.jump == stream::Jump::ret ? wanted_return(at) : nullptr;
        const bool passes = !callee && !back && !is_asked(steps_.number(at)) &&
                            !is_handed(steps_.number(at)) && passes_by(at, id, block);
        if (passes && !Why::on)
            return;
        Running now(prepared_, steps_.sequence(), at, id);
        if (passes)
            why_.pass_block(search_.activation, id, now.ran);
        else
            look_at_block(now, now.ran, callee, back);
    }

    // A step's return, where something in the caller waits for it.
    const Return *wanted_return(uint32_t at) {
        const Return *back = steps_.returned(at);
        return back && search_.takes_return(graph_, *back) ? back : nullptr;
    }

    // The activation that a step began, where it holds something that nothing in it decided over.
    uint64_t wanted_callee(uint32_t at) {
        const uint64_t callee = steps_.callee(at);
        if (!callee)
            return 0;
        why_.end(callee);
        return search_.takes_call(callee) ? callee : 0;
    }

    // Whether the criterion has an instruction in a step.
    bool is_asked(uint64_t step) const { return !asked_.empty() && asked_.back().step == step; }
    // Whether it is this one; then it is asked for no longer.
    bool take_asked(uint64_t step, unsigned instruction) {
        if (!is_asked(step) || asked_.back().instruction != instruction)
            return false;
        asked_ = asked_.first(asked_.size() - 1);
        return true;
    }

    // Whether the criterion has registers in a step.
    bool is_handed(uint64_t step) const {
        return !handed_.empty() && handed_.back().point.step == step;
    }
    void take_handed() {
        if (options_.data) {
            why_.take_criterion();
            use(handed_.back().registers);
            for (const stream::Range &range : handed_.back().memory)
                use(range.address, range.size);
        }
        handed_ = handed_.first(handed_.size() - 1);
    }

    bool passes_by(uint32_t at, uint32_t id, const stream::Block &block) const {
        if (!search_.pending->empty() || search_.registers->meets(prepared_.effects(id).defined))
            return false;
        const stream::Execution execution(steps_.sequence(), at, block);
        for (const stream::Access &access : block.accesses)
            if (access.kind == stream::AccessKind::store &&
                search_.all.memory.meets(execution.address(access), access.size))
                return false;
        return true;
    }

    // The first `count` instructions, the last of which may have begun a wanted activation, or have
    // been a wanted return.
    void look_at_block(Running &now, unsigned count, uint64_t callee,
                       const Return *back = nullptr) {
        if (!count)
            return;
        now.go_to(count - 1);
        search_.pending->meet(graph_, now.node());
        why_.meets(search_.activation, now.node());
        for (unsigned i = count; i-- > 0; callee = 0, back = nullptr) {
            now.go_to(i);
            look_at(now, i, callee, back);
            if (is_handed(now.step) && handed_.back().point.instruction == i)
                take_handed();
        }
    }

    // Inlined for speed: what a block has in common for its instructions is then loaded once.
    [[gnu::always_inline]] void look_at(const Running &now, unsigned i, uint64_t callee,
                                        const Return *back) {
        const stream::Instruction &one = now.instruction(i);
        why_.pass(search_.activation, now.id, i);
        Wanted wanted{take_asked(now.step, i), false, callee != 0, back != nullptr};
        if (options_.control && now.ends_part(i))
            wanted.decides =
                graph_.is_branch(now.node()) && search_.pending->take(graph_, now.node());
        conventions_.drop_links(now, i);
        bool by_register = false, by_memory = false;
        if (options_.data || wanted) {
            for (stream::RegisterPart part : now.effects.definitions(one))
                by_register |= search_.registers->meets(part);
            now.each_access(i, stream::AccessKind::store, [&](auto &access, uint64_t address) {
                by_memory |= search_.all.memory.meets(address, access.size);
            });
        }
        if (wanted ||
            ((by_register || by_memory) && !conventions_.is_transparent(now, i, by_memory)))
            take(now, i, wanted, callee, back);
    }

    // Puts an execution of an instruction into the slice.
    void take(const Running &now, unsigned i, Wanted wanted, uint64_t callee, const Return *back) {
        // The one that faulted is only there because it is asked for.
        const bool completed = !wanted.asked || i < now.ran;
        if constexpr (Why::on)
            tell(now, i, wanted, callee, back);
        search_.hits.add(now.id, i, now.step);
        if (completed)
            define(now, i);
        if (why_.stops() && !wanted.asked)
            return;
        if (options_.data && !conventions_.is_lookup(now, i))
            use(now, i, completed);
        if (options_.control) {
            search_.pending->add(graph_, now.node());
            why_.waits(search_.activation, now.node());
        }
    }

    // Who waited for what is taken.
    void tell(const Running &now, unsigned i, Wanted wanted, uint64_t callee, const Return *back) {
        why_.take(now.step, search_.thread, search_.activation, now.id, i);
        if (wanted.asked)
            why_.asked_for();
        if (wanted.decides)
            why_.decided(search_.activation, graph_, now.node());
        if (wanted.calls)
            why_.called(callee);
        if (wanted.returns)
            why_.decided(back->caller, graph_, back->node);
    }

    void define(const Running &now, unsigned i) {
        for (stream::RegisterPart part : now.effects.definitions(now.instruction(i))) {
            search_.registers->remove(part);
            why_.defined(search_.thread, part);
        }
        now.each_access(i, stream::AccessKind::store, [&](auto &access, uint64_t address) {
            conventions_.settle_restores(address, access.size);
            search_.all.memory.remove(address, access.size);
            if constexpr (Why::on)
                why_.stored(address, access.size,
                            access.size <= 8 ? std::optional(now.execution.value(access))
                                             : std::nullopt);
        });
    }

    void use(const Running &now, unsigned i, bool completed) {
        const stream::Instruction &one = now.instruction(i);
        for (stream::RegisterPart part : now.effects.uses(one))
            use(part);
        if (options_.addresses || !completed)
            for (stream::RegisterPart part : now.effects.address_uses(one))
                use(part);
        if (completed)
            now.each_access(i, stream::AccessKind::load, [&](auto &access, uint64_t address) {
                conventions_.note_link(one, address);
                use(address, access.size);
            });
        if (const stream::Range made = prepared_.made(now.id); made.size)
            use(made.address, made.size);
    }
    void use(const stream::RegisterSet &registers) {
        for (unsigned word = 0; word < stream::RegisterSet::words; ++word)
            if (const uint64_t bits = registers.part(word))
                use(stream::RegisterPart{uint8_t(word), bits});
    }
    void use(stream::RegisterPart part) {
        search_.registers->add(part);
        why_.used(search_.thread, part);
    }
    void use(uint64_t address, uint64_t size) {
        search_.all.memory.add(address, size);
        why_.loaded(address, size);
    }

    Slice result() const {
        Slice slice = search_.hits.result(prepared_);
        slice.visited = visited_;
        slice.unresolved = search_.all.bytes();
        for (const Checkpoint *at = points(); at; at = at->next.get())
            slice.unresolved = at->unresolved;
        return slice;
    }

    const Prepared &prepared_;
    const FlowGraph &graph_;
    const Options options_;
    Why &why_;

    std::span<const Point> asked_;   // what is left of the criterion's instructions
    std::span<const Handed> handed_; // and of its registers
    BackwardSteps steps_;
    Search search_;
    Conventions<Why> conventions_;
    BackwardEffects<Why> effects_;
    std::optional<Checkpoints<Why>> checkpoints_;
    std::shared_ptr<const Checkpoint> first_; // of the walk, when it is over
    uint64_t visited_ = 0;
};

} // namespace heapstory::slice
