// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/pairs.h"

#include "slice/decisions.h"
#include "slice/live_memory.h"
#include "slice/shadow.h"
#include "slice/steps.h"
#include "slice/tag_sets.h"
#include "stream/execution.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>

namespace heapstory::slice {

namespace {

using stream::AccessKind;
using stream::Effects;
using stream::Execution;
using stream::Instruction;
using stream::RegisterPart;
using stream::Role;

using Tags = uint32_t; // a set of loads, by number of their instructions

class Walk {
  public:
    Walk(const Prepared &prepared, const std::vector<LoadRange> &memory)
        : prepared_(prepared), graph_(prepared.graph()), ranges_(memory), steps_(prepared) {
        watch(0);
    }

    LoadPairs run(const Progress &progress) {
        const stream::Source &source = prepared_.source();
        for (uint32_t number = 0; number < source.sequences(); ++number) {
            if (progress)
                progress(number, source.sequences());
            steps_.read(number);
            for (uint32_t at = 0; at < steps_.count(); ++at) {
                if (steps_.number(at) >= next_change_)
                    watch(steps_.number(at));
                run_step(at);
            }
        }
        return result();
    }

  private:
    using Registers = std::array<Tags, stream::register_bytes>;

    // The memory that counts from a step on, and when that changes.
    void watch(uint64_t step) {
        wanted_ = LiveMemory();
        next_change_ = ~uint64_t(0);
        for (const LoadRange &one : ranges_) {
            if (one.since <= step && step < one.until)
                wanted_.add(one.memory.address, one.memory.size);
            for (uint64_t border : {one.since, one.until})
                if (border > step)
                    next_change_ = std::min(next_change_, border);
        }
    }

    void run_step(uint32_t at) {
        if (steps_.enter(at))
            registers_ = &registers_of_[steps_.thread()];
        decisions_.enter(steps_.activation());
        const uint32_t id = steps_.sequence().block[at];
        if (!id) {
            run_effect(steps_.effect(at));
            return;
        }
        const stream::Block &block = prepared_.source().block(id);
        const Tags last = run_block(Execution(steps_.sequence(), at, block), id);
        if (block.jump == stream::Jump::ret) {
            if (const Activations::Return *back = steps_.returned(at))
                decisions_.returned(back->caller, back->node, last);
            decisions_.end();
        }
        if (last && block.jump == stream::Jump::call)
            if (const uint64_t callee = steps_.callee(at))
                decisions_.begin(callee, last);
    }

    // What the last instruction depends on.
    Tags run_block(const Execution &execution, uint32_t id) {
        const Effects &effects = prepared_.effects(id);
        const unsigned count = execution.instructions(effects);
        unsigned first = 0;
        Tags tags = 0;
        for (const BlockPart &part : graph_.parts(id)) {
            if (first >= count)
                break;
            const Tags decided = decisions_.over(graph_, part.node);
            for (unsigned i = first; i < part.end && i < count; ++i)
                tags = sets_.join(run_instruction(execution, effects, i, decided), decided);
            if (part.end <= count)
                decisions_.ran(graph_, part.node, tags);
            first = part.end;
        }
        return tags;
    }

    // What it makes depends on, by data.
    Tags run_instruction(const Execution &execution, const Effects &effects, unsigned i,
                         Tags decided) {
        const Instruction &one = effects.instructions[i];
        Tags made = 0, address = 0;
        if (one.role != Role::frame) {
            for (RegisterPart part : effects.uses(one))
                made = sets_.join(made, in_registers(part));
            for (RegisterPart part : effects.address_uses(one))
                address = sets_.join(address, in_registers(part));
        }
        bool from_wanted = false;
        execution.each_access(effects, i, AccessKind::load, [&](auto &access, uint64_t where) {
            if (is_wanted(where, access.size)) {
                from_wanted = true;
                note(one.address, address, decided);
            } else
                made = sets_.join(made, in_memory(where, access.size));
        });
        made = from_wanted ? sets_.join(made, sets_.single(number_of(one.address)))
                           : sets_.join(made, address);
        for (RegisterPart part : effects.definitions(one))
            for (uint64_t bits = part.bits; bits; bits &= bits - 1)
                (*registers_)[part.word * 64u + unsigned(std::countr_zero(bits))] = made;
        execution.each_access(effects, i, AccessKind::store,
                              [&](auto &access, uint64_t where) { put(where, access.size, made); });
        return made;
    }

    void run_effect(const stream::Effect &effect) {
        Tags made = 0;
        for (unsigned word = 0; word < stream::RegisterSet::words; ++word)
            made =
                sets_.join(made, in_registers({uint8_t(word), effect.registers_used.part(word)}));
        for (const stream::Range &range : effect.used)
            made = sets_.join(made, is_wanted(range.address, range.size)
                                        ? sets_.single(number_of(effect.address))
                                        : in_memory(range.address, range.size));
        for (unsigned i = 0; i < stream::register_bytes; ++i)
            if (effect.registers_defined.has(i))
                (*registers_)[i] = made;
        for (const stream::Range &range : effect.defined)
            put(range.address, range.size, made);
    }

    bool is_wanted(uint64_t address, uint64_t size) const { return wanted_.meets(address, size); }

    void note(uint64_t load, Tags address, Tags decided) {
        ++loads_;
        const uint32_t to = number_of(load);
        for (uint32_t from : sets_.elements(address))
            ++pairs_[{from, to, PairKind::address}];
        for (uint32_t from : sets_.elements(decided))
            ++pairs_[{from, to, PairKind::control}];
    }

    Tags in_registers(RegisterPart part) {
        Tags tags = 0;
        for (uint64_t bits = part.bits; bits; bits &= bits - 1)
            tags =
                sets_.join(tags, (*registers_)[part.word * 64u + unsigned(std::countr_zero(bits))]);
        return tags;
    }
    Tags in_memory(uint64_t address, uint64_t size) {
        Tags tags = 0;
        memory_.each(address, size, [&](uint64_t, Tags &cell) { tags = sets_.join(tags, cell); });
        return tags;
    }
    void put(uint64_t address, uint64_t size, Tags tags) {
        memory_.each(address, size, [&](uint64_t, Tags &cell) { cell = tags; });
    }

    uint32_t number_of(uint64_t address) {
        auto [found, is_new] = numbers_.try_emplace(address, uint32_t(addresses_.size()));
        if (is_new)
            addresses_.push_back(address);
        return found->second;
    }

    LoadPairs result() const {
        LoadPairs all;
        all.loads = loads_;
        all.cut = sets_.cut();
        for (const auto &[key, count] : pairs_) {
            auto [from, to, kind] = key;
            all.pairs.push_back({addresses_[from], addresses_[to], kind, count});
        }
        std::sort(all.pairs.begin(), all.pairs.end(), [](auto &one, auto &other) {
            return std::tuple(one.from, one.to, one.kind) <
                   std::tuple(other.from, other.to, other.kind);
        });
        return all;
    }

    const Prepared &prepared_;
    const FlowGraph &graph_;
    const std::vector<LoadRange> &ranges_;
    uint64_t next_change_ = 0; // step
    LiveMemory wanted_;

    ForwardSteps steps_;
    std::unordered_map<uint32_t, Registers> registers_of_; // by thread
    Registers *registers_ = &registers_of_[0];
    ActivationDecisions<Tags> decisions_;
    Shadow<Tags> memory_;
    TagSets sets_;
    std::unordered_map<uint64_t, uint32_t> numbers_; // of instructions
    std::vector<uint64_t> addresses_ = {0};
    std::map<std::tuple<uint32_t, uint32_t, PairKind>, uint64_t> pairs_;
    uint64_t loads_ = 0;
};

} // namespace

LoadPairs load_pairs(const Prepared &prepared, const std::vector<LoadRange> &memory,
                     const Progress &progress) {
    return Walk(prepared, memory).run(progress);
}

} // namespace heapstory::slice
