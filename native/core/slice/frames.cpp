// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/frames.h"

#include "stream/execution.h"

#include <algorithm>

namespace heapstory::slice {

using stream::Block;
using stream::Jump;
using stream::Sequence;

namespace {

// The address of the last access that took place: of a call, where it put the return address; of a
// return, where it found it.
uint64_t last_address(const Sequence &sequence, uint32_t at, const Block &block) {
    return stream::Execution(sequence, at, block).address(block.accesses.back());
}

} // namespace

Frames::Thread &Frames::thread(uint32_t id) {
    Thread &found = threads_[id];
    if (found.stacks.empty())
        found.stacks.push_back(new_stack());
    return found;
}

void Frames::follow(const Sequence &sequence, const stream::Source &source, Activations &into,
                    Transitions *transitions) {
    into.of_step.assign(sequence.steps(), 0);
    into.calls.clear();
    into.returns.clear();
    if (into.wants_origins)
        tell_origins(into);
    size_t next_switch = 0;
    Thread *running = &thread(running_);
    for (uint32_t at = 0; at < sequence.steps(); ++at) {
        for (; next_switch < sequence.switches.size() && sequence.switches[next_switch].step <= at;
             running = &thread(running_))
            running_ = sequence.switches[next_switch++].thread;
        Thread &now = *running;
        if (uint32_t id = sequence.block[at]) {
            step(sequence, at, source.block(id), now, into, transitions);
            continue;
        }
        const stream::Effect &effect = sequence.effects[sequence.operand[at]];
        into.of_step[at] = now.stacks.back().frames.back().id;
        if (effect.kind == stream::EffectKind::signal)
            begin_handler(at, now, into);
        else if (effect.kind == stream::EffectKind::signal_return)
            end_handler(now);
    }
}

void Frames::step(const Sequence &sequence, uint32_t at, const Block &block, Thread &now,
                  Activations &into, Transitions *transitions) {
    if (block.stack_word != stream::no_word) {
        uint64_t pointer = sequence.words[sequence.operand[at] + block.stack_word];
        switch_stack(now, pointer);
        leave(now.stacks.back(), pointer, false, transitions);
    }
    Stack &stack = now.stacks.back();
    Frame &frame = stack.frames.back();
    into.of_step[at] = frame.id;
    if (transitions && (frame.block || frame.stack != unknown))
        transitions->insert(Transition{frame.block, sequence.block[at], frame.exit}.key());
    frame.block = sequence.block[at];
    frame.exit = sequence.exit[at];
    if (sequence.exit[at] != stream::ran_to_end || block.accesses.empty())
        return;
    if (block.jump == Jump::call) {
        into.calls.push_back({at, ++last_id_});
        const uint64_t place = last_address(sequence, at, block);
        if (into.wants_origins)
            into.origins[last_id_] = {frame.id, frame.block, place};
        stack.frames.push_back({last_id_, place, 0, 0});
    } else if (block.jump == Jump::ret &&
               leave(stack, last_address(sequence, at, block) + 8, true, transitions) &&
               into.open_calls)
        note_return(at, stack.frames.back(), into);
}

void Frames::note_return(uint32_t at, const Frame &caller, Activations &into) const {
    if (const uint32_t node = (*into.open_calls)[caller.block])
        into.returns.push_back({at, caller.id, node});
}

void Frames::tell_origins(Activations &into) const {
    into.origins.clear();
    for (const auto &[id, thread] : threads_)
        for (const Stack &stack : thread.stacks) {
            if (stack.origin.caller)
                into.origins[stack.frames.front().id] = stack.origin;
            for (size_t i = 1; i < stack.frames.size(); ++i) {
                const Frame &caller = stack.frames[i - 1];
                into.origins[stack.frames[i].id] = {caller.id, caller.block, stack.frames[i].stack};
            }
        }
}

// Ends the activations below a stack pointer.
bool Frames::leave(Stack &stack, uint64_t pointer, bool by_return, Transitions *transitions) {
    stack.pointer = pointer;
    auto end = [&](const Frame &frame) {
        if (transitions && frame.block)
            transitions->insert(Transition{frame.block, 0, frame.exit}.key());
    };
    bool returned = false;
    while (stack.frames.size() > 1 && stack.frames.back().stack < pointer) {
        returned = by_return && stack.frames.back().stack + 8 == pointer;
        end(stack.frames.back());
        stack.frames.pop_back();
    }
    // Into a caller that was there before the stream began; or else by a call that did not look
    // like one, within the same activation.
    if (by_return && !returned && stack.frames.size() == 1) {
        end(stack.frames.back());
        stack.frames.back() = {++last_id_, unknown, 0, 0};
    }
    return returned;
}

void Frames::finish(Transitions &transitions, const stream::Source &source) const {
    for (const auto &[id, thread] : threads_) {
        const Frame &last = thread.stacks.back().frames.back();
        const bool exited = id == running_ && last.block && last.exit == stream::ran_to_end &&
                            source.block(last.block).jump == Jump::system_call;
        for (const Stack &stack : thread.stacks)
            for (const Frame &frame : stack.frames) {
                if (!frame.block)
                    continue;
                transitions.insert(Transition{frame.block, Transition::unknown, frame.exit}.key());
                if (exited)
                    transitions.insert(Transition{frame.block, 0, frame.exit}.key());
            }
    }
}

void Frames::switch_stack(Thread &thread, uint64_t pointer) {
    auto distance = [&](const Stack &stack) {
        if (stack.pointer == unknown)
            return uint64_t(0);
        return stack.pointer > pointer ? stack.pointer - pointer : pointer - stack.pointer;
    };
    if (distance(thread.stacks.back()) < far)
        return;
    size_t first = thread.interrupted.empty() ? 0 : thread.interrupted.back();
    auto begin = thread.stacks.begin() + long(first);
    auto near = std::min_element(begin, thread.stacks.end(), [&](auto &one, auto &other) {
        return distance(one) < distance(other);
    });
    if (distance(*near) < far)
        std::rotate(near, near + 1, thread.stacks.end());
    else
        thread.stacks.push_back(new_stack());
}

// Whatever the thread is doing calls the handler.
void Frames::begin_handler(uint32_t at, Thread &thread, Activations &into) {
    const Frame &interrupted = thread.stacks.back().frames.back();
    const Activations::Origin origin{interrupted.id, interrupted.block, 0};
    thread.interrupted.push_back(thread.stacks.size());
    thread.stacks.push_back(new_stack());
    thread.stacks.back().origin = origin;
    into.calls.push_back({at, last_id_});
    if (into.wants_origins)
        into.origins[last_id_] = origin;
}

void Frames::end_handler(Thread &thread) {
    if (thread.interrupted.empty())
        return;
    thread.stacks.resize(thread.interrupted.back());
    thread.interrupted.pop_back();
}

} // namespace heapstory::slice
