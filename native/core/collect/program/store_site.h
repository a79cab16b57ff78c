// What a store record needs to know of its site.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace heapstory {

struct StoreSite {
    static constexpr uint32_t unknown = ~uint32_t(0);

    uint32_t site = 0;           // as the trace numbers it, while what comes below ...
    uint32_t context = unknown;  // ... the own call of this number, 0 for own code; or not yet
    uint32_t context_mask = ~0u; // 0 for own code, which needs no context
    uint8_t size = 8;            // bytes stored
    bool begins = true;          // an event; not a further word of the same store

    bool holds_in(uint32_t now) const { return (now & context_mask) == context; }
};
static_assert(sizeof(StoreSite) == 16);

} // namespace heapstory
