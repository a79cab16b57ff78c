// Blocks of a run whose past nobody will ask for, as in a check without a recording: most die
// young, and are then not written at all.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// A birth waits here until it must be written: since somebody looks at what is alive, or since many
// others wait. Of a block that died, what an error may have to say is kept for some time: where it
// was allocated and freed.
#pragma once

#include "collect/heap/open_table.h"
#include "format/events/events.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace heapstory {

class Recent {
  public:
    enum class State : uint8_t {
        waits, // alive, not written
        gone,  // dead, not written
        told   // dead, and in the trace
    };
    struct Block {
        uint64_t address = 0;
        uint32_t size = 0;
        uint32_t number = 0; // in the order of birth
        uint32_t stack = 0, free_stack = 0;
        uint32_t freed_at = 0; // see now
        Allocator allocator = Allocator::unknown;
        Deallocator deallocator = Deallocator::unknown;
        uint8_t flags = 0; // of its birth
        State state = State::waits;

        Birth birth() const {
            Birth made;
            made.address = address;
            made.size = size;
            made.stack = stack;
            made.allocator = allocator;
            made.flags = flags;
            return made;
        }
    };

    // How many freed bytes the allocator holds back from reuse; those between blocks count.
    Recent(uint64_t held_back, uint64_t redzone) : held_back_(held_back), redzone_(redzone) {}

    static bool takes(const Birth &birth) { return birth.size <= largest; }
    void add(const Birth &birth);
    // Whether it waited here.
    bool free(uint64_t address, uint32_t stack, Deallocator deallocator);
    // One that was written, and is dead now.
    void told(uint64_t address, uint64_t size);

    // It will be asked for soon.
    void fetch(uint64_t address) const { blocks_.fetch(address); }
    // The one at an address; null if there is none.
    const Block *find(uint64_t address) { return blocks_.find(address); }
    // The one that has gone that an address lies in; null if there is none.
    const Block *gone_around(uint64_t address);
    void set_told(const Block &block) { blocks_.find(block.address)->state = State::told; }
    // Whether the memory of a dead one has certainly not been given out again.
    bool is_held_back(const Block &block) const {
        return now() - block.freed_at < uint32_t(held_back_ / 2 >> unit_bits);
    }

    bool is_crowded() const { return order_.size() >= most_waiting; }
    // Those that wait, in the order of birth, and half of them if `half`; they do so no more.
    std::vector<Block> take(bool half);
    // Whether anything happened since the last time it was asked that is not in the trace.
    bool forgot() { return std::exchange(forgot_, false); }

  private:
    static constexpr uint64_t largest = ~uint32_t(0);
    static constexpr size_t most_waiting = size_t(1) << 18;
    static constexpr size_t least_dropped_from = size_t(1) << 19; // a smaller table just grows
    static constexpr unsigned unit_bits = 8;

    struct Place { // in the order of birth
        uint64_t address;
        uint32_t number;
    };

    const Block *waiting(uint64_t address);
    Block &put(const Block &block);
    void make_room();
    void died(Block &block, State state);
    // Freed bytes so far, in units; it starts over again after a terabyte.
    uint32_t now() const { return uint32_t(freed_bytes_ >> unit_bits); }

    uint64_t held_back_, redzone_, freed_bytes_ = 0;
    uint32_t births_ = 0;
    bool forgot_ = false;
    OpenTable<Block, &Block::address, 80> blocks_;
    std::vector<Place> order_; // of births; some are dead
};

} // namespace heapstory
