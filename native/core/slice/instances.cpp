// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/instances.h"

#include "stream/execution.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace heapstory::slice {

namespace {

using stream::AccessKind;
using stream::Effects;
using stream::Execution;
using stream::RegisterPart;
using stream::Sequence;

class Lister {
  public:
    explicit Lister(const Prepared &prepared) : prepared_(prepared), graph_(prepared.graph()) {}

    std::vector<Instance> run(const Point &upto) {
        for (uint32_t number = 0; number < prepared_.source().sequences(); ++number) {
            prepared_.source().read(number, sequence_);
            prepared_.follow(number, sequence_, activations_);
            size_t call = 0, back = 0, next_switch = 0;
            for (uint32_t at = 0; at < sequence_.steps(); ++at) {
                uint64_t step = sequence_.first_step + at;
                if (step > upto.step)
                    return std::move(list_);
                while (next_switch < sequence_.switches.size() &&
                       sequence_.switches[next_switch].step <= at)
                    thread_ = sequence_.switches[next_switch++].thread;
                list(at, step == upto.step ? upto.instruction + 1u : ~0u);
                for (; back < activations_.returns.size() && activations_.returns[back].step == at;
                     ++back)
                    regions_[activations_.returns[back].caller].returned(
                        graph_.post_dominator(activations_.returns[back].node), list_.size());
                for (; call < activations_.calls.size() && activations_.calls[call].step == at;
                     ++call)
                    regions_[activations_.calls[call].callee].call = list_.size();
            }
        }
        return std::move(list_);
    }

  private:
    // Branches of an activation whose ways have not met again yet (Xin and Zhang).
    struct Region {
        uint64_t branch; // number of the instance
        uint32_t end;    // the node where its ways meet
    };
    struct Regions {
        std::vector<Region> open;
        uint64_t call = 0;
        size_t first = 0, end = 0; // of the last block's instances

        uint64_t parent() const { return open.empty() ? call : open.back().branch; }
        void enter(uint32_t node) {
            while (!open.empty() && open.back().end == node)
                open.pop_back();
        }
        // The call that decided last was returned from by that instance, which then decides.
        void returned(uint32_t call_end, uint64_t instance) {
            if (!open.empty() && open.back().end == call_end)
                open.back().branch = instance;
        }
        void decide(uint64_t branch, uint32_t end) {
            if (!open.empty() && open.back().end == end)
                open.back().branch = branch;
            else
                open.push_back({branch, end});
        }
    };

    void list(uint32_t at, unsigned most) {
        Regions &regions = regions_[activations_.of_step[at]];
        uint32_t id = sequence_.block[at];
        if (!id) {
            list_effect(at, regions);
            return;
        }
        regions.first = list_.size();
        list_block(at, id, most, regions);
        regions.end = list_.size();
    }

    void list_block(uint32_t at, uint32_t id, unsigned most, Regions &regions) {
        const Effects &effects = prepared_.effects(id);
        unsigned count =
            Execution(sequence_, at, prepared_.source().block(id)).instructions(effects);
        unsigned first = 0;
        for (const BlockPart &part : graph_.parts(id)) {
            if (first >= std::min(count, most))
                return;
            regions.enter(part.node);
            for (unsigned i = first; i < part.end && i < count && i < most; ++i)
                list_instruction(at, id, i, regions.parent());
            if (graph_.is_branch(part.node) && part.end <= count)
                regions.decide(list_.size(), graph_.post_dominator(part.node));
            first = part.end;
        }
    }

    void list_instruction(uint32_t at, uint32_t id, unsigned i, uint64_t parent) {
        const Effects &effects = prepared_.effects(id);
        const stream::Block &block = prepared_.source().block(id);
        Instance one{id, uint16_t(i), sequence_.first_step + at, parent, {}, {}, 0};
        add(one.defined, effects.definitions(effects.instructions[i]));
        add(one.used, effects.uses(effects.instructions[i]));
        add(one.used, effects.address_uses(effects.instructions[i]));
        const Execution execution(sequence_, at, block);
        auto reference = [](const stream::Access &access, uint64_t address) {
            return Reference{address, address + access.size};
        };
        execution.each_access(effects, i, AccessKind::store, [&](auto &access, uint64_t address) {
            one.defined.push_back(reference(access, address));
        });
        execution.each_access(effects, i, AccessKind::load, [&](auto &access, uint64_t address) {
            one.used.push_back(reference(access, address));
        });
        if (const stream::Range made = prepared_.made(id); made.size)
            one.used.push_back({made.address, made.address + made.size});
        list_.push_back(std::move(one));
    }

    // An effect depends on what the instruction depends on that it counts for: that ran in the
    // block before, or is about to.
    uint64_t parent_of(const stream::Effect &effect, Regions &regions) {
        for (size_t i = regions.end; i-- > regions.first;)
            if (prepared_.effects(list_[i].block).instructions[list_[i].instruction].address ==
                effect.address)
                return list_[i].parent;
        if (const uint32_t node = graph_.node_at(effect.address))
            regions.enter(node);
        return regions.parent();
    }

    void list_effect(uint32_t at, Regions &regions) {
        const stream::Effect &effect = sequence_.effects[sequence_.operand[at]];
        if (effect.kind == stream::EffectKind::signal)
            ++handlers_[thread_];
        Instance one{0, 0, sequence_.first_step + at, parent_of(effect, regions), {}, {}, 0};
        if (effect.kind == stream::EffectKind::copy)
            one.copies = uint16_t(effect.values());
        for (const stream::Range &range : effect.defined)
            one.defined.push_back({range.address, range.address + range.size});
        for (const stream::Range &range : effect.used)
            one.used.push_back({range.address, range.address + range.size});
        for (unsigned i = 0; i < stream::register_bytes; ++i) {
            if (effect.registers_defined.has(i))
                one.defined.push_back(in_register(i, 1));
            if (effect.registers_used.has(i) || effect.registers_addressed.has(i))
                one.used.push_back(in_register(i, 1));
        }
        list_.push_back(std::move(one));
        if (effect.kind == stream::EffectKind::signal_return && handlers_[thread_])
            --handlers_[thread_];
    }

    // A signal's handler has registers of its own.
    Reference in_register(unsigned first, unsigned count) const {
        static_assert(stream::register_bytes <= 1024);
        auto depth = handlers_.find(thread_);
        uint64_t at = uint64_t(1) << 63 | uint64_t(thread_) << 16 | first;
        at |= depth == handlers_.end() ? 0 : uint64_t(depth->second) << 10;
        return {at, at + count};
    }

    void add(std::vector<Reference> &list, std::span<const RegisterPart> parts) const {
        for (RegisterPart part : parts)
            for (uint64_t bits = part.bits; bits;) {
                auto first = unsigned(std::countr_zero(bits));
                auto count = unsigned(std::countr_one(bits >> first));
                list.push_back(in_register(part.word * 64u + first, count));
                bits &= count == 64 ? 0 : ~(((uint64_t(1) << count) - 1) << first);
            }
    }

    const Prepared &prepared_;
    const FlowGraph &graph_;
    Sequence sequence_;
    Activations activations_;
    uint32_t thread_ = 0;
    std::unordered_map<uint32_t, unsigned> handlers_; // under way, by thread
    std::unordered_map<uint64_t, Regions> regions_;   // by activation
    std::vector<Instance> list_;
};

} // namespace

std::vector<Instance> instances(const Prepared &prepared, const Point &upto) {
    return Lister(prepared).run(upto);
}

} // namespace heapstory::slice
