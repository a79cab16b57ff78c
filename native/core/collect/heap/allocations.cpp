// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/heap/allocations.h"

#include "collect/input/translate.h"
#include "heapstory_wire.h"

#include <algorithm>
#include <utility>

namespace heapstory {

namespace {

Birth birth_of(const Record &record) {
    Birth birth;
    birth.address = record.address;
    birth.size = record.length();
    birth.allocator = allocator_of(record.kind());
    return birth;
}

} // namespace

void Allocations::begin_change() {
    output_.begin_event();
    output_.builder.change();
}

uint64_t Allocations::born(Birth birth) {
    ChunkBuilder &builder = output_.builder;
    bool is_event = birth.kind == NodeKind::heap && !(birth.flags & Birth::initial);
    birth.event = builder.position() - is_event;
    builder.lists.births.push_back(birth);
    return builder.lists.next_node() - 1;
}

void Allocations::died(const LiveBlock &block, uint32_t stack, Deallocator deallocator) {
    mismatched_ += is_mismatched(block.allocator, deallocator);
    output_.builder.lists.deaths.push_back(
        {output_.builder.position() - 1, block.node, stack, deallocator});
}

uint32_t Allocations::stack_with_request() {
    uint32_t stack = sites_.current_stack();
    if (request_)
        stack = sites_.stack(stack, request_);
    request_ = 0;
    return stack;
}

void Allocations::allocate(const Record &record) {
    Birth birth = birth_of(record);
    birth.stack = sites_.current_stack();
    if (birth.allocator == Allocator::calloc)
        birth.flags = Birth::zeroed;
    if (LiveBlock *stale = live_.find(birth.address)) // its free was not seen
        live_.erase(stale);
    const bool is_first = !std::exchange(has_block_, true); // the trace shows that there is a heap
    if (recent_ && Recent::takes(birth) && !is_first) {
        make_room();
        recent_->add(birth);
        return;
    }
    begin_change();
    if (birth.flags & Birth::zeroed)
        shadow_.zero(birth.address, birth.size);
    else
        shadow_.clear(birth.address, birth.size);
    live_.insert({birth.address, birth.size, born(birth), birth.allocator});
}

void Allocations::make_room() {
    if (recent_->is_crowded())
        write(recent_->take(true));
}

void Allocations::write_recent() {
    if (!recent_)
        return;
    const bool forgot = recent_->forgot();
    const std::vector<Recent::Block> blocks = recent_->take(false);
    write(blocks);
    if (forgot && blocks.empty())
        begin_change(); // what is written now is another moment than before
}

void Allocations::write(const std::vector<Recent::Block> &blocks) {
    for (const Recent::Block &block : blocks) {
        begin_change();
        live_.insert({block.address, block.size, born(block.birth()), block.allocator});
    }
}

void Allocations::write_gone(const Recent::Block &block) {
    begin_change();
    const LiveBlock written{block.address, block.size, born(block.birth()), block.allocator};
    begin_change();
    died(written, block.free_stack, block.deallocator);
    recent_->set_told(block);
}

bool Allocations::is_in_live(uint64_t address) const {
    bool is_in = false;
    live_.for_each([&](const LiveBlock &block) { is_in |= address - block.address < block.size; });
    return is_in;
}

bool Allocations::tell(uint64_t address) {
    if (!recent_)
        return true;
    const Recent::Block *block = recent_->find(address);
    if (block && block->state == Recent::State::gone)
        write_gone(*block);
    write_recent();
    return block || live_.find(address) || custom_.find(address) || freed_custom_.contains(address);
}

void Allocations::tell_freed(uint64_t address) {
    if (!recent_)
        return;
    write_recent();
    const Recent::Block *block = recent_->gone_around(address);
    // Where another block lies by now, the address means that one.
    if (block && (recent_->is_held_back(*block) || !is_in_live(address)))
        write_gone(*block);
}

void Allocations::found(const Record &record) {
    Birth birth = birth_of(record);
    birth.flags = Birth::initial;
    LiveBlocks &nodes = birth.allocator == Allocator::custom ? custom_ : live_;
    nodes.insert({birth.address, birth.size, born(birth), birth.allocator});
}

// A wrapper of a known allocator returns a block born inside it: then the block belongs to the
// wrapper's caller. Anything else is a block of its own, inside a larger one or not.
void Allocations::custom_allocate(const Record &record, uint32_t call) {
    write_recent();
    EventLists &lists = output_.builder.lists;
    Birth birth = birth_of(record);
    const bool told = record.kind() == HSW_CUSTOM_TOLD,
               own = told || record.kind() == HSW_CUSTOM_OWN;
    birth.stack = told ? stack_with_request() : sites_.stack(sites_.current_stack(), call);
    LiveBlock *inner = own ? nullptr : live_.find(birth.address);
    if (inner && inner->node >= lists.first_node) {
        Birth &known = lists.births[inner->node - lists.first_node];
        known.stack = birth.stack;
        if (record.kind() == HSW_CUSTOM_SIZED)
            known.size = inner->size = birth.size;
        return;
    }
    if (LiveBlock *stale = custom_.find(birth.address))
        custom_.erase(stale);
    begin_change();
    shadow_.clear(birth.address, birth.size);
    custom_.insert({birth.address, birth.size, born(birth), birth.allocator});
    freed_custom_.erase(birth.address);
}

// The free of a block that was not written yet: unless it is a mistake, neither is needed.
bool Allocations::forget(const Record &record, uint32_t stack) {
    const Recent::Block *block = recent_->find(record.address);
    if (!block || block->state != Recent::State::waits)
        return false;
    const Deallocator deallocator = deallocator_of(record.kind());
    if (!is_mismatched(block->allocator, deallocator))
        return recent_->free(record.address, stack, deallocator);
    write_recent();
    return false;
}

bool Allocations::release(const Record &record) {
    const bool is_custom = record.kind() == HSW_CUSTOM;
    const uint32_t stack = stack_with_request();
    if (is_custom)
        write_recent();
    else if (recent_ && forget(record, stack))
        return true;
    LiveBlocks *nodes = is_custom ? &custom_ : &live_;
    LiveBlock *node = nodes->find(record.address);
    if (!node && !is_custom) { // free of what the program calls a block
        nodes = &custom_;
        node = nodes->find(record.address);
    }
    if (!node) // a wrapper's block is malloc's
        return !is_custom || !freed_custom_.contains(record.address) || live_.find(record.address);
    begin_change();
    shadow_.clear(node->address, node->size);
    died(*node, stack, deallocator_of(record.kind()));
    if (nodes == &custom_)
        freed_custom_.insert(record.address);
    else if (recent_)
        recent_->told(node->address, node->size);
    nodes->erase(node);
    return true;
}

void Allocations::reallocate_from(const Record &record) {
    if (!fresh_)
        return;
    Birth birth = birth_of(*fresh_);
    fresh_.reset();
    birth.stack = sites_.current_stack();
    if (recent_ && Recent::takes(birth))
        return reallocate_recent(birth, record.address);
    begin_change();
    uint64_t old_address = record.address, old_size = record.value;
    if (LiveBlock *old = live_.find(old_address)) {
        died(*old, birth.stack, Deallocator::realloc);
        old_size = old->size;
        live_.erase(old);
    }
    if (birth.address == old_address) {
        birth.flags = Birth::in_place;
        uint64_t kept = std::min(old_size, birth.size);
        shadow_.clear(old_address + kept, std::max(old_size, birth.size) - kept);
    } else {
        birth.flags = Birth::moved;
        shadow_.clear(birth.address, birth.size);
        shadow_.clear(old_address, old_size);
    }
    live_.insert({birth.address, birth.size, born(birth), birth.allocator});
}

void Allocations::reallocate_recent(Birth birth, uint64_t old_address) {
    if (!recent_->free(old_address, birth.stack, Deallocator::realloc))
        if (LiveBlock *old = live_.find(old_address)) {
            begin_change();
            died(*old, birth.stack, Deallocator::realloc);
            recent_->told(old->address, old->size);
            live_.erase(old);
        }
    birth.flags = birth.address == old_address ? Birth::in_place : Birth::moved;
    make_room();
    recent_->add(birth);
}

void Allocations::add_global(uint64_t address, uint64_t size, uint32_t name, TypeId type) {
    Birth birth;
    birth.address = address;
    birth.size = size;
    birth.kind = NodeKind::global;
    birth.flags = Birth::zeroed;
    birth.name = name;
    birth.type = type;
    globals_[address] = born(birth);
}

// Variables by name, and what lies between them as pieces of the section. One variable may begin
// in the part that comes from the file and reach into the part that does not.
void Allocations::globals(uint64_t address, uint64_t length) {
    uint32_t section = tables_.string(modules_.name_of(address));
    uint64_t at = address == data_end_ ? variables_end_ : address;
    for (const Variable &variable : modules_.variables(address, length)) {
        if (variable.address > at)
            add_global(at, variable.address - at, section, no_type);
        add_global(variable.address, variable.size, tables_.string(variable.name), variable.type);
        at = variable.address + variable.size;
    }
    data_end_ = address + length;
    if (at < data_end_)
        add_global(at, data_end_ - at, section, no_type);
    variables_end_ = std::max(at, data_end_);
    shadow_.zero(address, length);
}

void Allocations::unmapped(uint64_t address, uint64_t length) {
    bool any = false;
    for (auto at = globals_.begin(); at != globals_.end();) {
        if (at->first < address || at->first >= address + length) {
            ++at;
            continue;
        }
        output_.builder.lists.deaths.push_back({output_.builder.position(), at->second});
        at = globals_.erase(at);
        any = true;
    }
    if (any)
        shadow_.clear(address, length);
    modules_.unmap(address, length);
}

} // namespace heapstory
