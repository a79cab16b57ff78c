// Everything that ever pointed to an object, by time.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/timeline/span.h"
#include "store/memory.h"

#include <span>
#include <vector>

namespace heapstory::constraints {

using Object = uint32_t;

// An edge over the time it stood.
struct Incoming {
    uint64_t since = 0, until = forever;
    Object source = ~Object(0); // a head
    uint32_t cell = 0;
};

// Everything that ever pointed to an object, over one edge set.
struct IncomingIndex {
    Values<uint64_t> first; // by object (a head), and one more
    Values<Incoming> edges; // of an object: in order of `since`
    Values<uint64_t> ends;  // the `until` of the same edges, ascending

    // Puts the edges of each object in order, and their ends.
    void arrange();

    std::span<const Incoming> of(Object object) const {
        return {edges.data() + first[object], size_t(first[object + 1] - first[object])};
    }
    // Calls visit(edge) for those that stand at a moment.
    template <class Visit> void standing(Object object, uint64_t time, Visit visit) const {
        for (const Incoming &edge : of(object)) {
            if (edge.since > time)
                return;
            if (time < edge.until)
                visit(edge);
        }
    }
    // How many stand at a moment.
    uint64_t count(Object object, uint64_t time, Span &span) const;
};

} // namespace heapstory::constraints
