// Which statement a record counts for: sites, calls and call stacks as the trace numbers them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "collect/call_stacks.h"
#include "collect/modules.h"
#include "collect/records.h"
#include "format/tables.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace heapstory {

struct RawSite {          // as the recorder numbers them
    uint32_t site = 0;    // for own code, or for `context`; 0: none yet
    uint32_t context = 0; // other code: the own call that it counts for
    uint8_t size = 0, kind = 0;
    bool own = false;
    uint64_t pc = 0;
    uint64_t last_call = 0; // calls: the last record's value ...
    uint32_t call = 0;      // ... and its call id
};

class Sites {
  public:
    Sites(Tables &tables, const Modules &modules, CallStacks &stacks)
        : tables_(tables), modules_(modules), stacks_(stacks), raw_(1) {}

    // HSW_SITE.
    void define(const Record &record);
    // By the recorder's number; number 0 is the unknown site.
    RawSite &raw(uint32_t id) { return raw_[id < raw_.size() ? id : 0]; }

    // The site of a store, in the current call stack.
    uint32_t of(RawSite &raw) {
        uint32_t context = raw.own ? 0 : stacks_.context();
        return raw.site && raw.context == context ? raw.site : store_site(raw, context);
    }
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
    uint32_t stack(uint32_t parent, uint32_t site);

  private:
    uint32_t store_site(RawSite &raw, uint32_t context);
    uint32_t make(const RawSite &raw, uint32_t context, SiteKind kind);
    uint32_t other_call(RawSite &raw, uint64_t value);

    Tables &tables_;
    const Modules &modules_;
    CallStacks &stacks_;
    std::vector<RawSite> raw_;
    std::unordered_map<uint64_t, uint32_t> site_ids_;  // other code: raw site << 32 | context
    std::unordered_map<uint64_t, uint32_t> code_ids_;  // by address
    std::unordered_map<uint64_t, uint32_t> stack_ids_; // parent << 32 | site
    std::unordered_map<uint64_t, uint32_t> call_ids_;  // site << 40 | target
};

} // namespace heapstory
