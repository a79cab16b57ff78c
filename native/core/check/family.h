// Attributes that are computed in one go, and what is known of them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "check/plan.h"
#include "check/span.h"
#include "check/value.h"
#include "store/zeroed.h"

#include <algorithm>
#include <vector>

namespace heapstory::check {

struct Memo { // of an attribute of an object; as zero bytes it holds at no time
    Span span;
    Value value;
};

// Attributes that recurse over the same edges and need no others, or a single one.
struct Family {
    enum Mark : uint8_t { open = 1, cyclic = 2, was_cyclic = 4 };

    std::vector<uint32_t> attributes;
    uint32_t type = 0, edges = none; // none: it does not recurse
    bool alone = false;              // nothing else may join
    Zeroed<Memo> memos;              // by object, then attribute
    Zeroed<Memo> earlier;            // what was known before: time is gone through to and fro
    Zeroed<uint8_t> marks; // by object: its attributes are being computed, or lead to a cycle

    size_t width() const { return attributes.size(); }
    Memo *memos_of(uint32_t object) const { return memos.data() + object * width(); }
    void begin(size_t objects) {
        if (memos.empty()) {
            memos = Zeroed<Memo>(objects * width());
            marks = Zeroed<uint8_t>(objects);
        }
    }
    void fetch(uint32_t object) const {
        heapstory::fetch(memos_of(object), width() * sizeof(Memo));
    }
    // Whether all attributes of an object are known as of a moment; they are in `memos` then.
    bool knows(uint32_t object, uint64_t time) {
        auto hold = [&](const Memo *memo) {
            return std::all_of(memo, memo + width(),
                               [&](const Memo &one) { return one.span.holds(time); });
        };
        Memo *now = memos_of(object);
        if (hold(now))
            return true;
        if (earlier.empty() || !hold(earlier.data() + object * width()))
            return false;
        std::swap_ranges(now, now + width(), earlier.data() + object * width());
        uint8_t mark = marks[object];
        marks[object] = uint8_t((mark & open) | (mark & cyclic ? was_cyclic : 0) |
                                (mark & was_cyclic ? cyclic : 0));
        return true;
    }
    // Makes room for what holds as of another moment.
    void set_aside(uint32_t object) {
        Memo *now = memos_of(object);
        if (now->span.since >= now->span.until)
            return;
        if (earlier.empty())
            earlier = Zeroed<Memo>(memos.size());
        std::copy(now, now + width(), earlier.data() + object * width());
        for (Memo *memo = now; memo < now + width(); ++memo)
            memo->span = {1, 0};
        marks[object] = marks[object] & cyclic ? was_cyclic : 0;
    }
};

} // namespace heapstory::check
