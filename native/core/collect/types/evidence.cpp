// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/types/evidence.h"

#include <algorithm>

namespace heapstory {

namespace {

// What is looked at: of long recordings a part, evenly spread; of each store instruction the first
// executions, then some. More would not tell more.
constexpr uint64_t most_slots = 16 << 20;
constexpr uint32_t first_executions = 256, then_every = 64;
constexpr uint64_t most_offset = 4096; // of a pointer in a block
constexpr size_t most_pointers = 4096; // of an allocation

} // namespace

Evidence::Evidence(const Store &store, Modules &modules)
    : store_(store), modules_(modules), layouts_(modules.types()) {
    group_stacks();
    count_blocks();
    add_results();
    read_stores();
}

// The recorder does not see every receiver.
void Evidence::add_results() {
    for (Allocation &allocation : allocations_)
        if (allocation.blocks && allocation.claims.empty() && allocation.allocator == no_type)
            allocation.claim(0, modules_.type_of_results(allocation.stacks[0]), Source::receiver);
}

void Evidence::group_stacks() {
    const Tables &tables = store_.tables();
    std::map<std::vector<std::pair<uint32_t, uint64_t>>, uint32_t> by_frames;
    of_stack_.resize(tables.stacks.size());
    for (uint32_t stack = 1; stack < tables.stacks.size(); ++stack) {
        std::vector<std::pair<uint32_t, uint64_t>> frames; // an instruction may have several sites
        for (uint32_t site : modules_.frames_of_type(stack)) {
            const CodeAddress &at = tables.sites[site].instruction;
            frames.emplace_back(at.module, at.offset);
        }
        auto [at, added] = by_frames.try_emplace(std::move(frames), uint32_t(allocations_.size()));
        if (added) {
            Allocation &made = allocations_.emplace_back();
            made.allocator = modules_.type_of_allocator(stack);
        }
        of_stack_[stack] = at->second;
        Allocation &allocation = allocations_[at->second];
        allocation.stacks.push_back(stack);
        allocation.claim(0, tables.stack_types[stack], Source::receiver);
    }
}

void Evidence::count_blocks() {
    store_.nodes().for_each([&](uint64_t, const NodeRow &row) {
        Allocation *allocation = allocation_of(row);
        if (!allocation)
            return;
        if (!allocation->blocks++)
            allocation->least = allocation->most = row.size;
        allocation->least = std::min(allocation->least, row.size);
        allocation->most = std::max(allocation->most, row.size);
        allocation->by_new |=
            row.allocator == Allocator::new_ || row.allocator == Allocator::new_array;
    });
}

void Evidence::read_stores() {
    const Tables &tables = store_.tables();
    seen_.resize(tables.sites.size());
    for (uint32_t site = 1; site < tables.sites.size(); ++site) {
        const CodeAddress &at = tables.sites[site].instruction;
        of_.try_emplace({at.module, at.offset}, site);
    }
    const uint64_t one_of = store_.totals().slots / most_slots + 1;
    uint64_t segment_number = 0;
    for (uint32_t chunk : store_.event_chunks()) {
        EventsView view = store_.events(chunk);
        for (const SlotSegment &segment : view.segments())
            if (segment_number++ % one_of == 0)
                read_segment(segment, view, store_.header(chunk).first_event);
    }
}

void Evidence::read_segment(const SlotSegment &segment, const EventsView &view,
                            uint64_t first_event) {
    decode_segment(segment, view.slots(), slots_);
    for (const Slot &slot : slots_)
        if (wanted(slot.site))
            read(slot, first_event + slot.event);
}

bool Evidence::wanted(uint32_t site) {
    if (site >= seen_.size())
        return false;
    const uint32_t times = seen_[site]++;
    return times < first_executions || times % then_every == 0;
}

// What the instruction of a site says; null if nothing. Of an instruction that stores several words
// only the first site counts: the others lie behind the place that it names.
const StoredTypes *Evidence::told_by(uint32_t site) {
    const SiteRow &row = store_.tables().sites[site];
    ElfFile *file =
        row.own && row.kind == SiteKind::store ? modules_.file(row.instruction.module) : nullptr;
    if (!file || of_[{row.instruction.module, row.instruction.offset}] != site)
        return nullptr;
    auto [at, added] = told_.try_emplace(site);
    if (added)
        at->second = types_of_store(*file, row.instruction.offset);
    return &at->second;
}

void Evidence::read(const Slot &slot, uint64_t event) {
    const uint64_t address = slot.word * 8 + shape_first(slot.shape);
    const uint64_t node = store_.nodes().find(address, event + 1);
    if (!node)
        return;
    const NodeRow row = store_.nodes().get(node);
    const StoredTypes *told = told_by(slot.site);
    const uint64_t offset = address - row.address;
    if (Allocation *allocation = allocation_of(row); allocation && told && told->holder) {
        const int64_t start = int64_t(offset) - told->offset;
        const uint64_t size = layouts_[told->holder].size;
        if (told->indexed) {
            if (size && start >= 0 && uint64_t(start) % size == 0)
                allocation->claim(0, told->holder, Source::store);
        } else if (start >= 0 && layouts_.is_record(told->holder)) {
            allocation->claim(uint64_t(start), told->holder, Source::store);
        }
    }
    if (slot.shape == whole_word)
        read_pointer(row, offset, slot.value, event, told);
}

void Evidence::read_pointer(const NodeRow &holder, uint64_t offset, uint64_t value, uint64_t event,
                            const StoredTypes *told) {
    Allocation *from = allocation_of(holder);
    const uint64_t node = value ? store_.nodes().find(value, event + 1) : 0;
    const NodeRow row = node ? store_.nodes().get(node) : NodeRow();
    Allocation *target = node ? allocation_of(row) : nullptr;
    if (!target) {
        const CodeAddress at = modules_.locate(value);
        // A table behind the start is that of a second base.
        ElfFile *file = from && !offset && at.module ? modules_.file(at.module) : nullptr;
        if (file)
            from->claim(offset, type_of_vtable(*file, at.offset), Source::vtable);
        return;
    }
    const uint64_t into = value - row.address;
    if (told)
        target->claim(into, told->value, Source::value);
    if (into)
        return;
    const auto number = uint32_t(target - allocations_.data());
    if (holder.kind == NodeKind::global && holder.type != no_type)
        target->claim(0, layouts_.pointee(holder.type, offset), Source::field);
    else if (from && offset < most_offset && from->pointers.size() < most_pointers)
        ++from->pointers[{offset, number}];
}

} // namespace heapstory
