// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/program/call_stacks.h"

namespace heapstory {

namespace {
constexpr size_t most_stacks = 256; // of one thread; beyond that the oldest are forgotten
}

void CallStacks::switch_to(uint32_t thread) {
    thread_ = thread;
    Thread &state = threads_[thread];
    frames_ = &state.stacks[state.current];
}

void CallStacks::end_thread(uint32_t thread) {
    threads_.erase(thread);
    if (thread == thread_)
        switch_to(thread);
}

void CallStacks::select_far(uint64_t sp) {
    Thread &state = threads_[thread_];
    for (size_t i = 0; i < state.stacks.size(); ++i)
        if (!state.stacks[i].empty() && near(sp, state.stacks[i].back().sp)) {
            state.current = i;
            frames_ = &state.stacks[i];
            return;
        }
    std::erase_if(state.stacks, [](const auto &stack) { return stack.empty(); });
    if (state.stacks.size() >= most_stacks)
        state.stacks.erase(state.stacks.begin());
    state.current = state.stacks.size();
    state.stacks.emplace_back();
    frames_ = &state.stacks.back();
}

} // namespace heapstory
