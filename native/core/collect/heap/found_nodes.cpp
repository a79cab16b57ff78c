// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/heap/found_nodes.h"

#include "collect/input/translate.h"
#include "heapstory_wire.h"

#include <algorithm>

namespace heapstory {

namespace {

constexpr uint64_t id_mask = 0xffffffff;
constexpr uint64_t site_mask = 0xffffff;

} // namespace

void FoundNodes::begin_change() {
    output_.begin_event();
    output_.builder.change();
}

FoundNodes::Node *FoundNodes::find(uint64_t value) {
    return live_.find(value & id_mask);
}

uint64_t FoundNodes::id_of(uint64_t value) {
    const Node *node = find(value);
    return node ? node->id : 0;
}

uint32_t FoundNodes::site(uint64_t raw) {
    raw &= site_mask;
    return raw ? sites_.of_range(sites_.raw(uint32_t(raw)), SiteKind::other) : stacks_.context();
}

uint32_t FoundNodes::stack(uint64_t raw) {
    raw &= site_mask;
    uint32_t stack = sites_.current_stack();
    return raw ? sites_.stack(stack, site(raw)) : stack;
}

bool FoundNodes::is_allocated(uint64_t address, uint64_t except) {
    if (extents_.empty()) {
        live_.for_each([this](const Node &node) {
            if (node.how == Allocator::returned || node.how == Allocator::kept)
                extents_.emplace_back(node.address, node.address + node.size);
        });
        std::sort(extents_.begin(), extents_.end());
    }
    auto after =
        std::upper_bound(extents_.begin(), extents_.end(), std::pair(address, ~uint64_t(0)));
    if (after == extents_.begin())
        return false;
    const auto [start, end] = *std::prev(after);
    return address < end && (except < start || except >= end);
}

void FoundNodes::take(const Record &record) {
    extents_.clear();
    Discoveries &found = output_.discoveries;
    uint64_t other = record.value >> 32;
    switch (record.tag) {
    case HSW_MODE:
        mode_ = record.address;
        break;
    case HSW_NODE:
        begin(record);
        break;
    case HSW_JOIN:
        join(record);
        break;
    case HSW_SOURCE:
        split(record);
        break;
    case HSW_MERGE:
        begin_change();
        found.merges.push_back(
            {output_.builder.events(), id_of(record.value), id_of(other), site(record.address)});
        break;
    case HSW_SEPARATE:
        begin_change();
        found.separations.push_back(
            {output_.builder.events(), id_of(record.value), site(record.address)});
        break;
    case HSW_NODE_END:
        end(record);
        break;
    case HSW_SUSPICIOUS:
        suspicious_ = record;
        break;
    case HSW_SUSPECT:
        suspect(record);
        break;
    case HSW_COUNTED:
        found.counts.push_back({count_of(unsigned(record.address)), record.value});
        break;
    case HSW_CANDIDATE:
        found.candidates.push_back({candidate_of(record.kind()), sites_.of_code(record.address),
                                    record.address, other & site_mask, record.value & id_mask});
        break;
    default:
        break;
    }
}

void FoundNodes::begin(const Record &record) {
    Node node;
    node.number = uint32_t(record.value & id_mask);
    node.how = discovery_of(record.kind());
    node.address = record.address;
    forget_moved(node.how == Allocator::kept ? node.address : 0);
    begin_change();
    Birth birth;
    birth.event = output_.builder.position() - 1;
    birth.address = node.address;
    birth.allocator = node.how;
    birth.flags = node.how == Allocator::kept ? Birth::in_place : 0;
    birth.stack = stack(record.value >> 32);
    output_.builder.lists.births.push_back(birth);
    node.id = output_.builder.lists.next_node() - 1;
    live_.insert(node);
}

void FoundNodes::join(const Record &record) {
    Node *grown = find(record.value);
    if (!grown)
        return;
    bool same_word = record.address / 8 == grown->address / 8; // the start may lie inside it
    uint64_t address = same_word ? grown->address : record.address;
    uint64_t end = record.address + 8 * (record.value >> 32);
    resize(*grown, address, end > address ? end - address : 0);
}

// What a node's words held before it was theirs is not theirs, unless nothing ever ends.
void FoundNodes::resize(Node &node, uint64_t address, uint64_t size) {
    if (mode_ == HSW_PORTABLE && node.how != Allocator::kept) {
        uint64_t old_end = node.address + node.size;
        if (address < node.address)
            shadow_.clear(address, node.address - address);
        if (address + size > old_end)
            shadow_.clear(old_end, address + size - old_end);
    }
    node.address = address;
    node.size = size;
    EventLists &lists = output_.builder.lists;
    if (node.id >= lists.first_node) {
        Birth &birth = lists.births[node.id - lists.first_node];
        birth.address = address;
        birth.size = size;
    } else {
        output_.discoveries.extents.push_back({node.id, address, size});
    }
}

void FoundNodes::split(const Record &record) {
    const Node *part = find(record.value), *source = find(record.value >> 32);
    if (part && source)
        output_.discoveries.origins.push_back({part->id, source->id, record.address});
}

void FoundNodes::end(const Record &record) {
    Node *at = find(record.value);
    if (!at)
        return;
    Node ended = *at;
    EndKind how = end_of(unsigned(record.value >> 32));
    begin_change();
    EventLists &lists = output_.builder.lists;
    lists.deaths.push_back({output_.builder.position() - 1, ended.id, stack(record.address)});
    if (how != EndKind::freed)
        output_.discoveries.ends.push_back({ended.id, how});
    live_.erase(at);
    if (how == EndKind::reallocated)
        moved_ = ended;
    else
        shadow_.clear(ended.address, ended.size);
}

// After a reallocation: the new node is known, so it is known whether the old words are its own.
void FoundNodes::forget_moved(uint64_t kept) {
    if (moved_ && moved_->address != kept)
        shadow_.clear(moved_->address, moved_->size);
    moved_.reset();
}

void FoundNodes::suspect(const Record &record) {
    if (!suspicious_)
        return;
    const Record &first = *suspicious_;
    Suspicion row;
    row.after = output_.builder.events();
    row.kind = suspicion_of(first.kind() & ~unsigned(HSW_POSSIBLE));
    row.possible = first.kind() & HSW_POSSIBLE;
    row.site = site(first.value >> 32);
    row.address = first.address;
    row.bytes = record.value >> 32;
    row.base = record.address;
    row.node = id_of(first.value);
    row.reached = id_of(record.value);
    output_.discoveries.suspicions.push_back(row);
    suspicious_.reset();
}

// A reallocation is told as a free and an allocation, in this order.
void FoundNodes::truth(const Record &record) {
    auto add = [this](uint64_t address, uint64_t size, bool is_free) {
        output_.discoveries.truth.push_back({output_.builder.events(), address, size, is_free});
    };
    switch (record.tag) {
    case HSW_ALLOC:
        return add(record.address, record.length(), false);
    case HSW_FREE_BLOCK:
        return add(record.address, 0, true);
    case HSW_REALLOC:
        reallocated_ = record;
        return;
    default: // HSW_REALLOC_OLD
        add(record.address, 0, true);
        if (reallocated_)
            add(reallocated_->address, reallocated_->length(), false);
        reallocated_.reset();
    }
}

} // namespace heapstory
