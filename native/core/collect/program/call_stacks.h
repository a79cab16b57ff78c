// The call stack of every thread, followed from CALL and RET records by stack pointer.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Only calls that matter are in the stream: those by own code and indirect ones by other code.
// Other code's returns are not: a frame is gone as soon as a record shows a stack pointer at or
// above it. That also covers longjmp, exceptions and tail calls. A stack pointer far away from the
// top frame is another stack of the same thread (a coroutine, an alternate signal stack); each
// keeps its frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace heapstory {

struct Frame {
    uint64_t sp = 0;      // on entry: where the return address lies
    uint32_t site = 0;    // of the call
    uint32_t call = 0;    // call id, 0 if the target is not the program's own
    uint32_t context = 0; // innermost own call site, this one included
    uint32_t stack = 0;   // stack id, 0 until asked for
    uint64_t event = 0;   // number of events before the call
};

class CallStacks {
  public:
    // The current thread's frames, outermost first.
    const std::vector<Frame> &frames() const { return *frames_; }
    uint32_t thread() const { return thread_; }
    // The innermost call by own code: the statement of what other code does now.
    uint32_t context() const { return frames_->empty() ? 0 : frames_->back().context; }
    const Frame &last_returned() const { return last_returned_; }

    void switch_to(uint32_t thread);
    void end_thread(uint32_t thread);

    // Calls `gone` for every frame that vanishes, innermost first.
    template <class Gone> void push(const Frame &frame, Gone gone) {
        select(frame.sp);
        while (!frames_->empty() && frames_->back().sp <= frame.sp)
            pop(gone);
        frames_->push_back(frame);
    }
    // Forgets the frames below a stack pointer.
    template <class Gone> void unwind(uint64_t sp, Gone gone) {
        select(sp);
        while (!frames_->empty() && frames_->back().sp < sp)
            pop(gone);
    }
    template <class Gone> void returned(uint64_t sp, Gone gone) {
        unwind(sp, gone);
        if (!frames_->empty() && frames_->back().sp == sp)
            pop(gone);
    }
    void set_stack(size_t index, uint32_t stack) { (*frames_)[index].stack = stack; }
    void set_context(uint32_t context) { frames_->back().context = context; }

    template <class Visit> void for_each_thread(Visit visit) const {
        for (const auto &[thread, state] : threads_)
            visit(thread, state.stacks[state.current]);
    }

  private:
    struct Thread {
        std::vector<std::vector<Frame>> stacks{1};
        size_t current = 0;
    };
    static constexpr uint64_t same_stack = uint64_t(16) << 20;

    template <class Gone> void pop(Gone gone) {
        last_returned_ = frames_->back();
        frames_->pop_back();
        gone(last_returned_);
    }
    void select(uint64_t sp) {
        if (frames_->empty() || near(sp, frames_->back().sp))
            return;
        select_far(sp);
    }
    static bool near(uint64_t a, uint64_t b) { return a - b + same_stack < 2 * same_stack; }
    void select_far(uint64_t sp);

    std::unordered_map<uint32_t, Thread> threads_{{1, {}}};
    uint32_t thread_ = 1;
    std::vector<Frame> *frames_ = &threads_[1].stacks[0];
    Frame last_returned_;
};

} // namespace heapstory
