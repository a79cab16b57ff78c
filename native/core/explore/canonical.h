// States as words, equal where they differ only in the names of nodes and the order of instances
// (mostly: two forms of one state cost time, not correctness).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "explore/memory.h"

namespace heapstory::explore {

// New names for nodes, in the order in which they are found.
class Renaming {
  public:
    Renaming(const Program &program, const Memory &memory);

    // The new name of a node, found now if it was not yet.
    int32_t name(int32_t node);
    // The new name if the node has been found, else a number behind all names.
    int32_t known(int32_t node) const;
    // Finds all behind the nodes found so far.
    void follow();
    // Freed nodes that nothing names: they may be handed out again with what they hold.
    void find_freed();
    // The memory with the new names, and without the nodes that were not found.
    Memory renamed();

  private:
    const Program &program_;
    const Memory &memory_;
    Words names_, order_; // by old name; old names by new one
    size_t followed_ = 0;
};

// Appends the words of a memory whose nodes stand in the order in which they are found.
void encode_raw(const Program &program, const Memory &memory, Words &words);
// Renames first, from shared variables only.
void encode_memory(const Program &program, const Memory &memory, Words &words);
// Reads what `encode_raw` wrote, from `at` on.
Memory decode_memory(const Program &program, const Words &words);
void decode_memory(const Program &program, const int32_t *&at, Memory &memory);

} // namespace heapstory::explore
