// Stack slots and registers that pointed into the heap when they were scanned, and named roots.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "store/store.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heapstory {

struct ScannedWord {
    std::string name;     // "thread 1 rbx", "thread 1 stack"
    uint64_t address = 0; // of the stack slot, 0 for a register
    uint64_t value = 0;
};

// The words of the last scan at this timestamp; `scanned` tells whether there was one.
std::vector<ScannedWord> scanned_words(const Store &store, uint64_t timestamp, bool &scanned);

// Names given by HEAPSTORY_ROOT up to a timestamp, by address.
std::map<uint64_t, std::string> named_roots(const Store &store, uint64_t timestamp);

} // namespace heapstory
