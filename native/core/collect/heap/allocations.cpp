// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/heap/allocations.h"

#include "collect/input/translate.h"
#include "heapstory_wire.h"

#include <algorithm>

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
    begin_change();
    birth.stack = sites_.current_stack();
    if (birth.allocator == Allocator::calloc) {
        birth.flags = Birth::zeroed;
        shadow_.zero(birth.address, birth.size);
    } else {
        shadow_.clear(birth.address, birth.size);
    }
    if (LiveBlock *stale = live_.find(birth.address)) // its free was not seen
        live_.erase(stale);
    live_.insert({birth.address, birth.size, born(birth), birth.allocator});
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

bool Allocations::release(const Record &record) {
    const bool is_custom = record.kind() == HSW_CUSTOM;
    const uint32_t stack = stack_with_request();
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
    nodes->erase(node);
    return true;
}

void Allocations::reallocate_from(const Record &record) {
    if (!fresh_)
        return;
    Birth birth = birth_of(*fresh_);
    fresh_.reset();
    begin_change();
    birth.stack = sites_.current_stack();
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
