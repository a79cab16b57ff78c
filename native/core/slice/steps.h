// Going through a stream step by step: which thread runs, in which activation.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/frames.h"
#include "slice/prepared.h"
#include "stream/sequence.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace heapstory::slice {

// One sequence after the other; what the two directions have in common.
class Steps {
  public:
    explicit Steps(const Prepared &prepared) : prepared_(prepared) {}

    // Makes a sequence the present one.
    void read(uint32_t number) {
        prepared_.source().read(number, sequence_);
        prepared_.follow(number, sequence_, activations_);
    }
    void want_origins() { activations_.wants_origins = true; }

    const stream::Sequence &sequence() const { return sequence_; }
    const Activations &activations() const { return activations_; }
    uint32_t count() const { return sequence_.steps(); }
    uint64_t number(uint32_t at) const { return sequence_.first_step + at; }
    const stream::Effect &effect(uint32_t at) const {
        return sequence_.effects[sequence_.operand[at]];
    }

    // The return of a step from a call that might have ended otherwise; null: it is none.
    const Activations::Return *returned(uint32_t at) const {
        const auto &all = activations_.returns;
        const auto found = std::ranges::lower_bound(all, at, {}, &Activations::Return::step);
        return found != all.end() && found->step == at ? &*found : nullptr;
    }

    // Of the step that was entered last.
    uint32_t thread() const { return thread_; }
    uint64_t activation() const { return activation_; }

  protected:
    const Prepared &prepared_;
    stream::Sequence sequence_;
    Activations activations_;
    size_t switch_ = 0, call_ = 0; // of the sequence
    uint32_t thread_ = 0;
    uint64_t activation_ = 0;
};

class ForwardSteps : public Steps {
  public:
    using Steps::Steps;

    void read(uint32_t number) {
        Steps::read(number);
        switch_ = call_ = 0;
    }
    // Whether a switch to another thread came before the step.
    bool enter(uint32_t at) {
        const size_t before = switch_;
        while (switch_ < sequence_.switches.size() && sequence_.switches[switch_].step <= at)
            thread_ = sequence_.switches[switch_++].thread;
        activation_ = activations_.of_step[at];
        return switch_ != before;
    }
    // The activation that a step began by a call; 0: none. Later steps may be asked for, no earlier
    // ones.
    uint64_t callee(uint32_t at) {
        const auto &calls = activations_.calls;
        while (call_ < calls.size() && calls[call_].step < at)
            ++call_;
        return call_ < calls.size() && calls[call_].step == at ? calls[call_].callee : 0;
    }
};

class BackwardSteps : public Steps {
  public:
    using Steps::Steps;

    void read(uint32_t number) {
        Steps::read(number);
        switch_ = sequence_.switches.size();
        call_ = activations_.calls.size();
    }
    void enter(uint32_t at) {
        while (switch_ > 0 && sequence_.switches[switch_ - 1].step > at)
            --switch_;
        thread_ = switch_ ? sequence_.switches[switch_ - 1].thread : 0;
        activation_ = activations_.of_step[at];
    }
    // As above; earlier steps may be asked for, no later ones.
    uint64_t callee(uint32_t at) {
        const auto &calls = activations_.calls;
        while (call_ > 0 && calls[call_ - 1].step > at)
            --call_;
        return call_ && calls[call_ - 1].step == at ? calls[call_ - 1].callee : 0;
    }
};

} // namespace heapstory::slice
