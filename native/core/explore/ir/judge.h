// Whether the answers of calls can be explained by an abstract object.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "explore/ir/code.h"

#include <optional>

namespace heapstory::explore::ir {

constexpr int64_t done = INT64_MIN + 1, empty = done + 1, full = done + 2, lost = done + 3;

struct Abstract {
    Longs state;
    // What a call answers, and the state after it.
    int64_t apply(const Code &code, Method method, int64_t argument);
};

constexpr int32_t calls_of_thread = 8;

struct Call {
    int32_t operation;
    uint32_t slot; // of its thread, and which of its calls it is
    int64_t argument, answer;
    bool answered;
    uint32_t after; // the slots of calls that are known to come before it

    int32_t thread() const { return int32_t(slot) / calls_of_thread; }
};

// Whether some order explains the answers: each call comes behind those it is `after`.
bool explained(const Code &code, const std::vector<Call> &calls);

// What a call answers by its status and value; nothing: neither the one nor the other.
std::optional<int64_t> answer_of(const Operation &operation, uint64_t status, uint64_t value);

} // namespace heapstory::explore::ir
