// Walking back over what is no instruction: system calls, copies, allocations, signals.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/backward/search.h"
#include "slice/slice.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace heapstory::slice {

template <class Why> class BackwardEffects {
  public:
    BackwardEffects(const FlowGraph &graph, const Options &options, Search &search, Why &why)
        : graph_(graph), options_(options), search_(search), why_(why) {}

    // A handler's registers are not those of the code that it interrupted. What the kernel hands
    // over when it begins is of the handler. `asked`: the criterion asks for it. `handler`: the
    // activation that a signal began, where it holds something that nothing in it decided over.
    void pass(const stream::Effect &effect, uint64_t step, bool asked, uint64_t handler) {
        std::vector<stream::RegisterSet> &interrupted = search_.all.interrupted[search_.thread];
        if (effect.kind == stream::EffectKind::signal_return)
            interrupted.push_back(std::exchange(*search_.registers, {}));
        if (asked || handler || (options_.data && is_wanted(effect)))
            take(effect, step, asked, handler);
        if (effect.kind == stream::EffectKind::signal && !interrupted.empty()) {
            *search_.registers = interrupted.back();
            interrupted.pop_back();
        }
    }

  private:
    bool is_wanted(const stream::Effect &effect) const {
        bool wanted = search_.registers->meets(effect.registers_defined);
        for (const stream::Range &range : effect.defined)
            wanted |= search_.all.memory.meets(range.address, range.size);
        return wanted;
    }

    void take(const stream::Effect &effect, uint64_t step, bool asked, uint64_t handler) {
        search_.hits.add_effect(effect.address, step);
        // Who set the handler, who sent the signal and why an instruction faulted is not followed.
        if (effect.kind == stream::EffectKind::signal)
            search_.hits.add_signal();
        why_.take_effect(step, search_.thread, search_.activation, effect.address);
        if (asked)
            why_.asked_for();
        if (handler)
            why_.called(handler);
        // As a criterion, a copy is asked for all of it.
        if (effect.kind == stream::EffectKind::copy && !asked)
            copy(effect);
        else
            pass_memory(effect);
        pass_registers(effect);
        if (options_.control)
            wait(effect);
    }

    // A signal came where it did: it depends on what the code that it interrupted depends on.
    void wait(const stream::Effect &effect) {
        if (const uint32_t node = graph_.node_at(effect.address)) {
            search_.pending->add(graph_, node);
            why_.waits(search_.activation, node);
        } else {
            search_.pending->add_as_before();
            why_.waits_as_before(search_.activation);
        }
    }

    void pass_registers(const stream::Effect &effect) {
        for (unsigned word = 0; word < stream::RegisterSet::words; ++word) {
            const stream::RegisterPart part{uint8_t(word), effect.registers_defined.part(word)};
            search_.registers->remove(part);
            why_.defined(search_.thread, part);
        }
        if (!options_.data)
            return;
        use(effect.registers_used);
        if (options_.addresses)
            *search_.registers |= effect.registers_addressed;
    }
    void use(const stream::RegisterSet &registers) {
        *search_.registers |= registers;
        for (unsigned word = 0; word < stream::RegisterSet::words; ++word)
            if (const uint64_t bits = registers.part(word))
                why_.used(search_.thread, stream::RegisterPart{uint8_t(word), bits});
    }

    void copy(const stream::Effect &effect) {
        for (size_t i = 0; i < effect.values(); ++i) {
            const uint64_t to = effect.defined[i].address, from = effect.used[i].address,
                           size = effect.defined[i].size;
            search_.all.memory.move(to, from, size);
            why_.copied(to, from, size);
        }
        if (options_.data && options_.addresses)
            load(effect, effect.values(), effect.used.size());
    }
    void pass_memory(const stream::Effect &effect) {
        for (const stream::Range &range : effect.defined) {
            search_.all.memory.remove(range.address, range.size);
            why_.stored(range.address, range.size, std::nullopt);
        }
        if (!options_.data)
            return;
        load(effect, 0, options_.addresses ? effect.used.size() : effect.values());
    }
    void load(const stream::Effect &effect, size_t first, size_t end) {
        for (size_t i = first; i < end; ++i) {
            search_.all.memory.add(effect.used[i].address, effect.used[i].size);
            why_.loaded(effect.used[i].address, effect.used[i].size);
        }
    }

    const FlowGraph &graph_;
    const Options &options_;
    Search &search_;
    Why &why_;
};

} // namespace heapstory::slice
