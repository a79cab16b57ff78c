// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/heap/recent.h"

#include <algorithm>
#include <utility>

namespace heapstory {

Recent::Block &Recent::put(const Block &block) {
    if (blocks_.size() >= blocks_.room())
        make_room();
    return blocks_.set(block);
}

// The tool itself knows nothing any more of what is not held back.
void Recent::make_room() {
    if (blocks_.room() < least_dropped_from)
        return blocks_.grow();
    const auto kept = uint32_t((held_back_ + held_back_ / 8 >> unit_bits) + 1);
    blocks_.keep_if([&](const Block &block) {
        return block.state == State::waits || now() - block.freed_at <= kept;
    });
    if (blocks_.size() > blocks_.room() / 2)
        blocks_.grow();
}

void Recent::add(const Birth &birth) {
    Block block;
    block.address = birth.address;
    block.size = uint32_t(birth.size);
    block.number = births_++;
    block.stack = birth.stack;
    block.allocator = birth.allocator;
    block.flags = birth.flags;
    put(block);
    order_.push_back({block.address, block.number});
}

void Recent::died(Block &block, State state) {
    freed_bytes_ += block.size + redzone_;
    block.freed_at = now();
    block.state = state;
}

const Recent::Block *Recent::waiting(uint64_t address) {
    const Block *block = blocks_.find(address);
    return block && block->state == State::waits ? block : nullptr;
}

bool Recent::free(uint64_t address, uint32_t stack, Deallocator deallocator) {
    Block *block = blocks_.find(address);
    if (!block || block->state != State::waits)
        return false;
    block->free_stack = stack;
    block->deallocator = deallocator;
    died(*block, State::gone);
    forgot_ = true;
    return true;
}

void Recent::told(uint64_t address, uint64_t size) {
    Block block;
    block.address = address;
    block.size = uint32_t(std::min(size, largest));
    died(put(block), State::told);
}

const Recent::Block *Recent::gone_around(uint64_t address) {
    constexpr uint64_t alignment = 16, furthest = 1 << 16;
    for (uint64_t before = address % alignment; before <= furthest && before < address;
         before += alignment)
        if (const Block *block = blocks_.find(address - before))
            return block->state == State::gone && before < std::max(block->size, 1u) ? block
                                                                                     : nullptr;
    return nullptr;
}

std::vector<Recent::Block> Recent::take(bool half) {
    std::erase_if(order_, [this](const Place &place) {
        const Block *block = waiting(place.address);
        return !block || block->number != place.number;
    });
    // Many of them are dead: there is room for others.
    const size_t count = !half                              ? order_.size()
                         : order_.size() > most_waiting / 2 ? order_.size() / 2
                                                            : 0;
    std::vector<Block> taken;
    taken.reserve(count);
    for (size_t i = 0; i < count; ++i) {
        Block *block = blocks_.find(order_[i].address);
        taken.push_back(*block);
        blocks_.erase(block);
    }
    order_.erase(order_.begin(), order_.begin() + ptrdiff_t(count));
    return taken;
}

} // namespace heapstory
