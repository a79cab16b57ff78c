// Which activation of a function every step belongs to.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "stream/block.h"
#include "stream/sequence.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace heapstory::slice {

// From one block of an activation to the next of the same one; `next` is 0 where the activation
// ended, by a return or without one (longjmp, an exception), `block` where a call began it.
struct Transition {
    static constexpr uint32_t unknown = 0xfffffff; // the stream ended first

    uint32_t block = 0, next = 0;
    uint8_t exit = 0;

    uint64_t key() const { return uint64_t(block) << 36 | uint64_t(next) << 8 | exit; }
    static Transition of(uint64_t key) {
        return {uint32_t(key >> 36), uint32_t(key >> 8 & 0xfffffff), uint8_t(key)};
    }
};
// Keys of transitions, each once. Most have been there a moment before: those that came last are
// looked at first.
class Transitions {
  public:
    void insert(uint64_t key) {
        uint64_t &recent = recent_[key * 0x9E3779B97F4A7C15u >> (64 - recent_bits)];
        if (recent != key) {
            recent = key;
            keys_.insert(key);
        }
    }
    auto begin() const { return keys_.begin(); }
    auto end() const { return keys_.end(); }

  private:
    static constexpr unsigned recent_bits = 10;
    // No key is 0: it would lead from nothing to nothing.
    std::vector<uint64_t> recent_ = std::vector<uint64_t>(size_t(1) << recent_bits);
    std::unordered_set<uint64_t> keys_;
};

// What is known of the steps of one sequence.
struct Activations {
    struct Call { // or a signal, which calls a handler
        uint32_t step = 0;
        uint64_t callee = 0; // the activation that it began
    };
    // How an activation came about.
    struct Origin {
        uint64_t caller = 0; // the activation that called; 0: unknown
        uint32_t block = 0;  // whose last instruction was the call, or came before the signal
        uint64_t stack = 0;  // where its return address lies; 0: unknown
    };
    // A return from a call that might have ended otherwise (longjmp, an exception, exit).
    struct Return {
        uint32_t step = 0;
        uint64_t caller = 0; // the activation that it leads to
        uint32_t node = 0;   // of the flow graph, that ends with the call
    };
    std::vector<uint64_t> of_step;
    std::vector<Call> calls;     // in order
    std::vector<Return> returns; // in order; filled in where there is `open_calls`
    // The nodes that end with a call which may end otherwise, by block; 0: another block.
    const std::vector<uint32_t> *open_calls = nullptr;
    // Of all that were under way when the sequence began, and those that it began; filled in where
    // it is asked for.
    std::unordered_map<uint64_t, Origin> origins;
    bool wants_origins = false;
};

// Follows the stream forward. An activation begins with a call and ends with the return that finds
// the same stack pointer; where there is none (longjmp, exceptions) it ends when the stack pointer
// has risen above it. A tail call goes on in the same activation. A signal's handler has a stack of
// its own, and so has whatever runs far from where the thread's stack pointer was before
// (coroutines). Copies are cheap enough to be kept for every sequence.
class Frames {
  public:
    void follow(const stream::Sequence &sequence, const stream::Source &source, Activations &into,
                Transitions *transitions);
    // The stream ends here. A system call that did not come back ended the program: the calls that
    // led to it did not return, as if an exception had gone through them.
    void finish(Transitions &transitions, const stream::Source &source) const;

  private:
    struct Frame {
        uint64_t id = 0;
        uint64_t stack = unknown; // where the return address lies
        uint32_t block = 0;       // the last that ran
        uint8_t exit = 0;
    };
    struct Stack {
        std::vector<Frame> frames; // never empty; the first is of an unknown caller
        uint64_t pointer = unknown;
        Activations::Origin origin = {}; // of its first activation, a signal's handler
    };
    struct Thread {
        std::vector<Stack> stacks;       // the last is in use
        std::vector<size_t> interrupted; // by signals: how many stacks there were
    };
    static constexpr uint64_t unknown = ~uint64_t(0);
    static constexpr uint64_t far = 256 << 10;

    void step(const stream::Sequence &sequence, uint32_t at, const stream::Block &block,
              Thread &now, Activations &into, Transitions *transitions);
    void switch_stack(Thread &thread, uint64_t pointer);
    // Returns whether the last of them returned to its caller.
    bool leave(Stack &stack, uint64_t pointer, bool by_return, Transitions *transitions);
    void note_return(uint32_t at, const Frame &caller, Activations &into) const;
    void begin_handler(uint32_t at, Thread &thread, Activations &into);
    void end_handler(Thread &thread);
    void tell_origins(Activations &into) const;
    Stack new_stack() { return {{Frame{++last_id_, unknown, 0, 0}}, unknown}; }
    Thread &thread(uint32_t id);

    std::unordered_map<uint32_t, Thread> threads_;
    uint32_t running_ = 0;
    uint64_t last_id_ = 0;
};

} // namespace heapstory::slice
