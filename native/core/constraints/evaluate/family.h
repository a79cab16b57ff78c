// Attributes that are computed in one go, and what is known of them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/evaluate/value.h"
#include "constraints/plan/plan.h"
#include "constraints/timeline/span.h"
#include "store/zeroed.h"

#include <algorithm>
#include <vector>

namespace heapstory::constraints {

struct Memo { // of an attribute of an object; as zero bytes it holds at no time
    Span span;
    Value value;
};

// Attributes that recurse over the same edges and need no others, or a single one.
struct Family {
    struct Part { // those that are asked for
        uint32_t first, end;
    };
    enum Mark : uint8_t { open = 1, cyclic = 2, was_cyclic = 4 };

    std::vector<uint32_t> attributes;
    uint32_t type = 0, edges = none; // none: it does not recurse
    bool alone = false;              // nothing else may join
    Zeroed<Memo> memos;              // by object, then attribute
    Zeroed<Memo> earlier;            // what was known before: time is gone through to and fro
    Zeroed<uint8_t> marks; // by object, then attribute: it is being computed, or leads to a cycle

    size_t width() const { return attributes.size(); }
    Part all() const { return {0, uint32_t(width())}; }
    Memo *memos_of(uint32_t object) const { return memos.data() + object * width(); }
    void begin(size_t objects) {
        if (memos.empty()) {
            memos = Zeroed<Memo>(objects * width());
            marks = Zeroed<uint8_t>(objects * width());
        }
    }
    void fetch(uint32_t object) const {
        heapstory::fetch(memos_of(object), width() * sizeof(Memo));
    }
    // Whether these attributes of an object are known as of a moment; they are in `memos` then.
    bool knows(uint32_t object, Part part, uint64_t time) {
        for (size_t at = first(object, part); at < end(object, part); ++at) {
            if (memos[at].span.holds(time))
                continue;
            if (earlier.empty() || !earlier[at].span.holds(time))
                return false;
            std::swap(memos[at], earlier[at]);
            uint8_t mark = marks[at];
            marks[at] = uint8_t((mark & open) | (mark & cyclic ? was_cyclic : 0) |
                                (mark & was_cyclic ? cyclic : 0));
        }
        return true;
    }
    // Whether nothing was ever known of an object.
    bool is_new(uint32_t object) const {
        const Memo *memo = memos_of(object);
        return std::all_of(memo, memo + width(), [](const Memo &one) { return !one.span.until; });
    }
    // Makes room for what holds as of another moment.
    void set_aside(uint32_t object, Part part) {
        for (size_t at = first(object, part); at < end(object, part); ++at) {
            if (memos[at].span.since >= memos[at].span.until)
                continue;
            if (earlier.empty())
                earlier = Zeroed<Memo>(memos.size());
            earlier[at] = memos[at];
            memos[at].span = {1, 0};
            marks[at] = marks[at] & cyclic ? was_cyclic : 0;
        }
    }
    // Of all the attributes of a part, one after the other.
    size_t first(uint32_t object, Part part) const { return object * width() + part.first; }
    size_t end(uint32_t object, Part part) const { return object * width() + part.end; }
};

} // namespace heapstory::constraints
