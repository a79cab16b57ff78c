// Births and deaths of nodes: heap blocks, blocks of custom allocators, data of modules.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "collect/chunks/output.h"
#include "collect/chunks/shadow.h"
#include "collect/heap/open_table.h"
#include "collect/heap/recent.h"
#include "collect/input/records.h"
#include "collect/program/modules.h"
#include "collect/program/sites.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace heapstory {

struct LiveBlock {
    uint64_t address = 0, size = 0;
    uint64_t node = 0;
    Allocator allocator = Allocator::unknown;
};
using LiveBlocks = OpenTable<LiveBlock, &LiveBlock::address>;

class Allocations {
  public:
    Allocations(Output &output, Shadow &shadow, Tables &tables, Modules &modules, Sites &sites,
                const RecordingOptions &options)
        : output_(output), shadow_(shadow), tables_(tables), modules_(modules), sites_(sites) {
        if (options.held_back)
            recent_.emplace(*options.held_back, options.redzone);
    }

    // HSW_ALLOC of a known allocator.
    void allocate(const Record &record);
    // HSW_ALLOC of the starting snapshot: born before the recording, nobody knows where.
    void found(const Record &record);
    // HSW_ALLOC of a custom allocator, which has just returned to `call`.
    void custom_allocate(const Record &record, uint32_t call);
    // HSW_REQUEST: the next change is made by a client request at a site.
    void requested(uint32_t site) { request_ = site; }
    // HSW_FREE_BLOCK. False where a block of a custom allocator was freed before.
    bool release(const Record &record);
    // HSW_REALLOC, then HSW_REALLOC_OLD.
    void reallocate_to(const Record &record) { fresh_ = record; }
    void reallocate_from(const Record &record);
    // HSW_GLOBALS.
    void globals(uint64_t address, uint64_t length);
    // HSW_UNMAP.
    void unmapped(uint64_t address, uint64_t length);

    // An allocation or a free of it comes soon.
    void fetch(uint64_t address) const {
        if (recent_)
            recent_->fetch(address);
    }
    // Somebody looks at what is alive now: it must be in the trace.
    void write_recent();
    // An error is about the block that begins there, or began. False if nothing is known of it.
    bool tell(uint64_t address);
    // A free went wrong; the address may lie inside a block.
    void tell_freed(uint64_t address);

    // How many blocks were given back by a function of another family.
    uint64_t mismatched() const { return mismatched_; }

  private:
    void begin_change();
    uint64_t born(Birth birth);
    bool forget(const Record &record, uint32_t stack);
    void reallocate_recent(Birth birth, uint64_t old_address);
    void make_room();
    void write(const std::vector<Recent::Block> &blocks);
    void write_gone(const Recent::Block &block);
    bool is_in_live(uint64_t address) const;
    void died(const LiveBlock &block, uint32_t stack, Deallocator deallocator);
    uint32_t stack_with_request();
    void add_global(uint64_t address, uint64_t size, uint32_t name, TypeId type);

    Output &output_;
    Shadow &shadow_;
    Tables &tables_;
    Modules &modules_;
    Sites &sites_;
    LiveBlocks live_, custom_;
    bool has_block_ = false;                    // any was ever allocated
    std::optional<Recent> recent_;              // in a run whose past nobody will ask for
    std::unordered_set<uint64_t> freed_custom_; // where blocks were, and none is now
    uint32_t request_ = 0;                      // 0: none
    uint64_t mismatched_ = 0;
    std::unordered_map<uint64_t, uint64_t> globals_; // node by address
    uint64_t data_end_ = 0, variables_end_ = 0;      // of the last range of module data
    std::optional<Record> fresh_;                    // a reallocation's new block, until the old
                                                     // one is named
};

} // namespace heapstory
