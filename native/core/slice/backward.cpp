// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/backward.h"

#include "slice/hits.h"
#include "slice/live_memory.h"
#include "slice/pending.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heapstory::slice {

using stream::Access;
using stream::AccessKind;
using stream::Block;
using stream::Effect;
using stream::Effects;
using stream::Instruction;
using stream::RegisterPart;
using stream::RegisterSet;
using stream::Role;
using stream::Sequence;

namespace {

class Walk {
  public:
    Walk(const Prepared &prepared, const Options &options)
        : prepared_(prepared), source_(prepared.source()), graph_(prepared.graph()),
          options_(options) {}

    Slice run(const Criterion &criterion, const Progress &progress) {
        uint32_t number = prepared_.sequence_of(criterion.point.step);
        for (uint32_t left = number + 1; left-- > 0;) {
            if (progress)
                progress(number - left, number + 1);
            source_.read(left, sequence_);
            prepared_.follow(left, sequence_, activations_);
            uint32_t from = sequence_.steps();
            if (left == number)
                from = start(criterion);
            walk(from);
        }
        return result();
    }

  private:
    // An instruction that gets a register back, not counted until it is known what was saved.
    struct Restore {
        uint32_t block;
        uint16_t instruction;
        uint64_t step;
        uint64_t activation;
        uint8_t saved;
    };

    // Everything at the criterion's step; returns the step to walk back from.
    uint32_t start(const Criterion &criterion) {
        auto at = uint32_t(criterion.point.step - sequence_.first_step);
        enter(at);
        *registers_ |= criterion.registers;
        for (const stream::Range &range : criterion.memory)
            memory_.add(range.address, range.size);
        uint32_t id = sequence_.block[at];
        if (!id) {
            if (criterion.whole_instruction)
                take_effect(at, sequence_.effects[sequence_.operand[at]], true);
            return at;
        }
        int first = criterion.point.instruction;
        if (criterion.whole_instruction)
            take(at, id, unsigned(first));
        else if (options_.control)
            pending_->add(graph_, graph_.node_of(id, unsigned(first)));
        for (int i = first - 1; i >= 0; --i)
            look_at(at, id, unsigned(i), false);
        return at;
    }

    void walk(uint32_t from) {
        for (uint32_t at = from; at-- > 0;) {
            ++visited_;
            enter(at);
            uint32_t id = sequence_.block[at];
            if (!id) {
                take_effect(at, sequence_.effects[sequence_.operand[at]], false);
                continue;
            }
            const Block &block = source_.block(id);
            bool called = block.jump == stream::Jump::call && begins_wanted(at);
            if (!called && passes_by(at, id, block))
                continue;
            unsigned count = instructions_of(sequence_, at, block, prepared_.effects(id));
            if (count)
                pending_->meet(graph_, graph_.node_of(id, count - 1));
            for (unsigned i = count; i-- > 0;)
                look_at(at, id, i, called && i + 1 == count);
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

    // Whether the activation that a call began holds something that nothing in it decided over.
    bool begins_wanted(uint32_t at) {
        while (call_ > 0 && activations_.calls[call_ - 1].step > at)
            --call_;
        if (!call_ || activations_.calls[call_ - 1].step != at)
            return false;
        auto found = pending_of_.find(activations_.calls[call_ - 1].callee);
        if (found == pending_of_.end())
            return false;
        bool wanted = !found->second.empty();
        pending_of_.erase(found);
        return wanted;
    }

    bool passes_by(uint32_t at, uint32_t id, const Block &block) const {
        if (!pending_->empty() || registers_->meets(prepared_.effects(id).defined))
            return false;
        for (const Access &access : block.accesses)
            if (access.kind == AccessKind::store && memory_.meets(address(at, access), access.size))
                return false;
        return true;
    }

    uint64_t address(uint32_t at, const Access &access) const {
        uint64_t base = access.word == stream::no_word
                            ? 0
                            : sequence_.words[sequence_.operand[at] + access.word];
        return base + uint64_t(access.displacement);
    }

    bool took_place(uint32_t at, const Access &access) const {
        return access.guard == stream::no_word ||
               sequence_.words[sequence_.operand[at] + access.guard];
    }

    template <class Visit>
    void each_access(uint32_t at, uint32_t id, unsigned i, AccessKind kind, Visit visit) const {
        const Block &block = source_.block(id);
        const Effects &effects = prepared_.effects(id);
        unsigned end = effects.last_access(block, i);
        if (sequence_.exit[at] < block.exits.size())
            end = std::min<unsigned>(end, block.exits[sequence_.exit[at]].accesses);
        for (unsigned j = effects.instructions[i].first_access; j < end; ++j)
            if (block.accesses[j].kind == kind && took_place(at, block.accesses[j]))
                visit(address(at, block.accesses[j]), block.accesses[j].size);
    }

    void look_at(uint32_t at, uint32_t id, unsigned i, bool wanted) {
        const Effects &effects = prepared_.effects(id);
        const Instruction &one = effects.instructions[i];
        if (options_.control && !wanted && ends_part(id, i)) {
            uint32_t node = graph_.node_of(id, i);
            wanted = graph_.is_branch(node) && pending_->take(graph_, node);
        }
        bool by_register = false, by_memory = false;
        if (options_.data || wanted) {
            for (RegisterPart part : effects.definitions(one))
                by_register |= registers_->meets(part);
            each_access(at, id, i, AccessKind::store, [&](uint64_t address, uint64_t size) {
                by_memory |= memory_.meets(address, size);
            });
        }
        if (!wanted && !by_register && !by_memory)
            return;
        if (options_.conventions && !wanted && one.role != Role::plain &&
            is_transparent(at, id, i, by_memory))
            return;
        take(at, id, i);
    }

    bool ends_part(uint32_t id, unsigned i) const {
        for (const BlockPart &part : graph_.parts(id))
            if (part.end == i + 1)
                return true;
        return false;
    }

    // Puts an execution of an instruction into the slice.
    void take(uint32_t at, uint32_t id, unsigned i) {
        const Effects &effects = prepared_.effects(id);
        const Instruction &one = effects.instructions[i];
        for (RegisterPart part : effects.definitions(one))
            registers_->remove(part);
        each_access(at, id, i, AccessKind::store, [&](uint64_t address, uint64_t size) {
            settle_restores(address, size);
            memory_.remove(address, size);
        });
        use(at, id, i);
        hits_.add(id, i, sequence_.first_step + at);
        if (options_.control)
            pending_->add(graph_, graph_.node_of(id, i));
    }

    void use(uint32_t at, uint32_t id, unsigned i) {
        if (!options_.data)
            return;
        const Effects &effects = prepared_.effects(id);
        const Instruction &one = effects.instructions[i];
        for (RegisterPart part : effects.uses(one))
            registers_->add(part);
        if (options_.addresses)
            for (RegisterPart part : effects.address_uses(one))
                registers_->add(part);
        each_access(at, id, i, AccessKind::load,
                    [&](uint64_t address, uint64_t size) { memory_.add(address, size); });
    }

    // Saving a register and getting it back, or making the frame pointer: what is looked for passes
    // through unchanged.
    bool is_transparent(uint32_t at, uint32_t id, unsigned i, bool by_memory) {
        const Instruction &one = prepared_.effects(id).instructions[i];
        unsigned first = stream::general_registers + 8 * one.saved;
        if (one.role == Role::frame) {
            registers_->remove(stream::general_registers + 8 * stream::rbp, 8);
            return true;
        }
        uint64_t slot = 0;
        bool found = false;
        auto kind = one.role == Role::save ? AccessKind::store : AccessKind::load;
        each_access(at, id, i, kind, [&](uint64_t address, uint64_t size) {
            found = size == 8;
            slot = address;
        });
        if (!found)
            return false;
        if (one.role == Role::restore) {
            if (by_memory || !(registers_->has(first)))
                return false;
            registers_->remove(first, 8);
            memory_.add(slot, 8);
            restores_[slot] = {id, uint16_t(i), sequence_.first_step + at, activation_, one.saved};
            return true;
        }
        auto waiting = restores_.find(slot);
        if (waiting == restores_.end() || waiting->second.saved != one.saved)
            return false;
        restores_.erase(waiting);
        memory_.remove(slot, 8);
        registers_->add(first, 8);
        return true;
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

    // A handler's registers are not those of the code that it interrupted.
    void cross_signal(stream::EffectKind kind) {
        std::vector<RegisterSet> &interrupted = interrupted_[thread_];
        if (kind == stream::EffectKind::signal_return) {
            interrupted.push_back(std::exchange(*registers_, {}));
        } else if (kind == stream::EffectKind::signal && !interrupted.empty()) {
            *registers_ = interrupted.back();
            interrupted.pop_back();
        }
    }

    void take_effect(uint32_t at, const Effect &effect, bool wanted) {
        cross_signal(effect.kind);
        bool hit = wanted || registers_->meets(effect.registers_defined);
        for (const stream::Range &range : effect.defined)
            hit |= memory_.meets(range.address, range.size);
        if (!hit)
            return;
        hits_.add_effect(effect.address, sequence_.first_step + at);
        if (options_.control)
            pending_->add_as_before();
        if (effect.kind == stream::EffectKind::copy) {
            for (size_t i = 0; i < effect.defined.size() && i < effect.used.size(); ++i)
                memory_.move(effect.defined[i].address, effect.used[i].address,
                             effect.defined[i].size);
        } else {
            for (const stream::Range &range : effect.defined)
                memory_.remove(range.address, range.size);
            for (const stream::Range &range : effect.used)
                memory_.add(range.address, range.size);
        }
        for (unsigned word = 0; word < RegisterSet::words; ++word)
            registers_->remove({uint8_t(word), effect.registers_defined.part(word)});
        *registers_ |= effect.registers_used;
        if (options_.addresses)
            *registers_ |= effect.registers_addressed;
    }

    Slice result() {
        Slice slice = hits_.take(prepared_);
        slice.visited = visited_;
        slice.unresolved = memory_.bytes();
        for (const auto &[thread, registers] : registers_of_)
            for (unsigned i = 0; i < stream::register_bytes; ++i)
                slice.unresolved += registers.has(i);
        return slice;
    }

    const Prepared &prepared_;
    const stream::Source &source_;
    const FlowGraph &graph_;
    const Options options_;

    Sequence sequence_;
    Activations activations_;
    uint64_t seen_ = ~uint64_t(0); // the first step of the sequence that was entered last
    size_t switch_ = 0, call_ = 0; // of the sequence, walked back

    std::unordered_map<uint32_t, RegisterSet> registers_of_;             // by thread
    std::unordered_map<uint32_t, std::vector<RegisterSet>> interrupted_; // the same, by signals
    RegisterSet *registers_ = nullptr;
    uint32_t thread_ = 0;
    LiveMemory memory_;
    std::unordered_map<uint64_t, Pending> pending_of_; // by activation
    Pending *pending_ = nullptr;
    uint64_t activation_ = 0;
    std::unordered_map<uint64_t, Restore> restores_; // by the address of what was saved
    Hits hits_;
    uint64_t visited_ = 0;
};

} // namespace

Slice backward(const Prepared &prepared, const Criterion &criterion, const Options &options,
               const Progress &progress) {
    return Walk(prepared, options).run(criterion, progress);
}

} // namespace heapstory::slice
