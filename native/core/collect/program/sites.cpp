// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/program/sites.h"

#include "heapstory_wire.h"

namespace heapstory {

void Sites::define(const Record &record) {
    uint32_t id = uint32_t(record.value & 0xffffff);
    if (id >= raw_.size()) {
        raw_.resize(id + 1);
        stores_.resize(id + 1);
    }
    RawSite &raw = raw_[id];
    raw.pc = record.address;
    raw.size = uint8_t(record.value >> 24);
    raw.kind = uint8_t(record.value >> 32);
    raw.own = (record.value >> 40 & HSW_SITE_OWN) && !modules_.is_of_header(raw.pc);
    StoreSite &store = stores_[id];
    store.context_mask = raw.own ? 0 : ~uint32_t(0);
    store.size = raw.size ? raw.size : 8;
    store.begins = raw.kind != HSW_SITE_MORE;
    if (!raw.own && !stacks_.context()) // else own code's call stands for it
        modules_.expect(raw.pc);
    if (raw.kind == HSW_SITE_CALL)
        raw.site = make(raw, 0, SiteKind::call);
}

uint32_t Sites::make(const RawSite &raw, uint32_t context, SiteKind kind) {
    uint64_t key = uint64_t(&raw - raw_.data()) << 32 | context;
    auto [at, added] = site_ids_.try_emplace(key, uint32_t(tables_.sites.size()));
    if (added) {
        SiteRow row;
        row.instruction = modules_.locate(raw.pc);
        row.statement = context ? tables_.sites[context].instruction : row.instruction;
        row.kind = kind;
        row.size = raw.size;
        row.own = raw.own;
        tables_.sites.push_back(row);
    }
    return at->second;
}

const StoreSite &Sites::store(uint32_t id) {
    const RawSite &known = raw(id);
    StoreSite &store = stores_[size_t(&known - raw_.data())];
    uint32_t context = stacks_.context() & store.context_mask;
    if (store.context != context) {
        store.site = make(known, context, SiteKind::store);
        store.context = context;
    }
    return store;
}

uint32_t Sites::of_range(const RawSite &raw, SiteKind kind) {
    return make(raw, raw.own ? 0 : stacks_.context(), kind);
}

uint32_t Sites::of_code(uint64_t pc) {
    auto [at, added] = code_ids_.try_emplace(pc, uint32_t(tables_.sites.size()));
    if (added) {
        SiteRow row;
        row.instruction = row.statement = modules_.locate(pc);
        row.kind = SiteKind::call;
        row.own = modules_.is_own(row.instruction.module);
        tables_.sites.push_back(row);
    }
    return at->second;
}

uint32_t Sites::new_call(uint32_t site, uint64_t target) {
    CallRow row;
    row.site = site;
    row.target = modules_.locate(target);
    row.own = target && (!row.target.module || modules_.is_own(row.target.module));
    if (!row.own)
        return 0;
    tables_.calls.push_back(row);
    return uint32_t(tables_.calls.size() - 1);
}

void Sites::forget_addresses() {
    code_ids_.clear();
    call_ids_.clear();
}

uint32_t Sites::other_call(RawSite &raw, uint64_t value) {
    auto [at, added] = call_ids_.try_emplace(value, 0);
    if (added)
        at->second = new_call(raw.site, value & HSW_ADDRESS_MASK);
    raw.last_call = value;
    raw.call = at->second;
    return raw.call;
}

uint32_t Sites::other_stack(uint32_t parent, uint32_t site) {
    auto [at, added] =
        stack_ids_.try_emplace(uint64_t(parent) << 32 | site, uint32_t(tables_.stacks.size()));
    if (added)
        tables_.stacks.push_back({parent, site});
    last_child_.resize(tables_.stacks.size());
    last_child_[parent] = {site, at->second};
    return at->second;
}

uint32_t Sites::current_stack() {
    const auto &frames = stacks_.frames();
    size_t known = frames.size();
    while (known && !frames[known - 1].stack)
        --known;
    uint32_t id = known ? frames[known - 1].stack : 0;
    for (size_t i = known; i < frames.size(); ++i) {
        id = stack(id, frames[i].site);
        stacks_.set_stack(i, id);
    }
    return id;
}

} // namespace heapstory
