// Which statement a record counts for: sites, calls and call stacks as the trace numbers them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "collect/input/records.h"
#include "collect/program/call_stacks.h"
#include "collect/program/modules.h"
#include "collect/program/store_site.h"
#include "format/program/tables.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace heapstory {

struct RawSite {       // as the recorder numbers them
    uint32_t site = 0; // of a call
    uint8_t size = 0, kind = 0;
    bool own = false;
    uint64_t pc = 0;
    uint64_t last_call = 0; // calls: the last record's value ...
    uint32_t call = 0;      // ... and its call id
};

class Sites {
  public:
    Sites(Tables &tables, Modules &modules, CallStacks &stacks)
        : tables_(tables), modules_(modules), stacks_(stacks), raw_(1), stores_(1) {}

    // HSW_SITE.
    void define(const Record &record);
    // By the recorder's number; number 0 is the unknown site.
    RawSite &raw(uint32_t id) { return raw_[id < raw_.size() ? id : 0]; }

    // By the same number; a store's site is known once it was asked for in the current call stack.
    std::span<const StoreSite> stores() const { return stores_; }
    const StoreSite &store(uint32_t id);
    uint32_t of_range(const RawSite &raw, SiteKind kind);
    // Of an instruction that stores nothing: a C-point, a frame that was there before.
    uint32_t of_code(uint64_t pc);

    // 0 if the target of the call is not the program's own.
    uint32_t call_id(RawSite &raw, uint64_t value) {
        return raw.last_call == value ? raw.call : other_call(raw, value);
    }

    uint32_t new_call(uint32_t site, uint64_t target);
    // Code was unmapped: what comes to stand at its addresses is other code.
    void forget_addresses();

    uint32_t current_stack();
    uint32_t stack(uint32_t parent, uint32_t site) {
        Child last = parent < last_child_.size() ? last_child_[parent] : Child();
        return last.stack && last.site == site ? last.stack : other_stack(parent, site);
    }

  private:
    struct Child { // of a stack: what a call at `site` makes of it
        uint32_t site = 0, stack = 0;
    };
    uint32_t other_stack(uint32_t parent, uint32_t site);
    uint32_t make(const RawSite &raw, uint32_t context, SiteKind kind);
    uint32_t other_call(RawSite &raw, uint64_t value);

    Tables &tables_;
    Modules &modules_;
    CallStacks &stacks_;
    std::vector<RawSite> raw_;
    std::vector<StoreSite> stores_;
    std::unordered_map<uint64_t, uint32_t> site_ids_;  // other code: raw site << 32 | context
    std::unordered_map<uint64_t, uint32_t> code_ids_;  // by address
    std::unordered_map<uint64_t, uint32_t> stack_ids_; // parent << 32 | site
    std::vector<Child> last_child_;                    // by stack: the one asked for last
    std::unordered_map<uint64_t, uint32_t> call_ids_;  // site << 40 | target
};

} // namespace heapstory
