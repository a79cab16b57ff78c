// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/load/builder.h"

#include "format/container/bytes.h"

#include <algorithm>

namespace heapstory::constraints {

Builder::Builder(const Plan &plan, Find find) : plan_(plan), find_(std::move(find)) {
    if (plan.types.size() > 250)
        throw FormatError("a specification may have up to 250 types");
    for (uint32_t type = 0; type < plan.types.size(); ++type) {
        const PlanType &t = plan.types[type];
        layouts_.emplace_back(t);
        longest_ = std::max(longest_, t.size);
        for (size_t run = 0; run < t.runs.size(); ++run)
            if (!t.runs[run].count) {
                longest_ = forever;
                if (run + 1 < t.runs.size())
                    throw FormatError("type " + t.name + ": only the last array may be open-ended");
            }
        for (const PlanMember &member : t.members) {
            Placed placed{type, member.base, member.stride, member.count, member.is_kept};
            if (member.type_id)
                by_type_[*member.type_id].push_back(placed);
            for (uint32_t stack : member.stacks)
                by_stack_[stack].push_back(placed);
            if (member.node)
                by_node_[*member.node].push_back(placed);
            if (member.base < 0 &&
                std::ranges::find(bases_before_, member.base) == bases_before_.end())
                bases_before_.push_back(member.base);
        }
    }
    line_.by_type.resize(plan.types.size());
}

template <class Visit> void Builder::for_each_place(const SourceBlock &source, Visit visit) const {
    auto look = [&](const auto &map, auto key) {
        if (auto found = map.find(key); found != map.end())
            for (const Placed &placed : found->second)
                visit(placed);
    };
    if (!by_node_.empty())
        look(by_node_, source.block.id);
    if (!by_stack_.empty() && source.block.stack)
        look(by_stack_, source.block.stack);
    if (source.block.type_id && source.heap)
        look(by_type_, source.block.type_id);
}

bool Builder::wants(const SourceBlock &source) const {
    bool any = false;
    for_each_place(source, [&](const Placed &placed) {
        any |= placed.base + int64_t(plan_.types[placed.type].size) <= int64_t(source.block.size);
    });
    return any;
}

void Builder::add(const SourceBlock &source) {
    sources_.push_back(source);
    lives_.push_back(source.life);
    line_.blocks.push_back(source.block);
    place(uint32_t(sources_.size()) - 1);
    line_.first_object.push_back(Object(line_.objects()));
}

// Adds the block's objects in order of base and type.
void Builder::place(uint32_t number) {
    const SourceBlock &source = sources_[number];
    std::vector<std::pair<int64_t, uint32_t>> places;
    bool is_kept = false;
    for_each_place(source, [&](const Placed &placed) {
        int64_t size = int64_t(plan_.types[placed.type].size);
        is_kept |= placed.is_kept;
        uint64_t left = placed.count.value_or(forever);
        for (int64_t base = placed.base; left && base + size <= int64_t(source.block.size);
             base += int64_t(*placed.stride), --left) {
            places.emplace_back(base, placed.type);
            if (!placed.stride.value_or(0))
                break;
        }
    });
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (size_t i = 0; i < places.size(); ++i) {
        auto [base, type] = places[i];
        line_.several_types |= i && places[i - 1].first == base;
        line_.by_type[type].push_back(Object(line_.objects()));
        line_.birth.push_back(source.block.birth);
        line_.death.push_back(is_kept ? forever : source.block.death);
        line_.block.push_back(number);
        line_.base.push_back(base);
        line_.type.push_back(uint8_t(type));
        line_.first_cell.push_back(line_.first_cell.back() +
                                   layouts_[type].cells(source.block.size - uint64_t(base)));
    }
}

void Builder::begin(unsigned parts) {
    owners_ = std::make_unique<Owners>(lives_);
    words_.resize(owners_->words());
    last_written_.assign(line_.first_cell.back(), 0);
    parts_.resize(parts);
    kept_writes_.resize(parts);
    find_ancestors();
}

void Builder::find_ancestors() {
    before_.assign(sources_.size(), Owners::nobody);
    kept_.assign(sources_.size(), 0);
    for (uint32_t i = 0; i < sources_.size(); ++i) {
        if (!sources_[i].in_place || !sources_[i].life.birth)
            continue;
        uint32_t older = owners_->find(sources_[i].life.address, sources_[i].life.birth - 1);
        if (older != Owners::nobody && lives_[older].death == lives_[i].birth &&
            lives_[older].address == lives_[i].address) {
            before_[i] = older;
            kept_[older] = 1;
        }
    }
}

} // namespace heapstory::constraints
