// What happened in a chunk, event by event.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "store/store.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace heapstory {

struct EventRow {
    uint64_t address = 0, end = 0, value = 0;
    uint32_t site = 0;
    std::string_view kind;
};

std::vector<EventRow> event_rows(const Store &store, uint32_t chunk);

// Whether a kind of event is about nodes, not about what they hold.
bool is_change_of_nodes(std::string_view kind);

} // namespace heapstory
