// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/backward/reasons_parts.h"

#include <algorithm>
#include <unordered_set>

namespace heapstory::slice {

namespace {

bool is_open(const StandIn &one) {
    return one.key.of == StandIn::Of::open;
}

// They are in the order of their keys: those for open executions come last.
size_t count_waiting(const std::vector<StandIn> &all) {
    return size_t(std::ranges::find_if(all, is_open) - all.begin());
}

const StandIn *find(const std::vector<StandIn> &all, const StandIn::Key &key) {
    auto found = std::ranges::lower_bound(all, key, {}, &StandIn::key);
    return found != all.end() && found->key == key ? &*found : nullptr;
}

} // namespace

RestOfReasons::RestOfReasons(const ReasonsPart &part, const RestOfReasons *next)
    : touched_(part.stand_ins.size()) {
    for (size_t i = 0; i < part.stand_ins.size(); ++i)
        touched_[i] = part.moments[i].first != ReasonsPart::untouched;
    for (size_t i = part.stand_ins.size(); i < part.moments.size(); ++i) {
        const Moment &moment = part.moments[i];
        singles_ += !moment.many;
        many_ |= moment.many;
        executions_.emplace_back(moment.statement, moment.many ? 0 : moment.activation);
    }
    if (next) {
        for (const Behind &one : part.behind)
            if (one.moment < touched_.size() && next->touched_[one.stand_in])
                touched_[one.moment] = true;
        singles_ += next->singles_;
        many_ |= next->many_;
        executions_.insert(executions_.end(), next->executions_.begin(), next->executions_.end());
    }
    std::ranges::sort(executions_);
    const auto twice = std::ranges::unique(executions_);
    executions_.erase(twice.begin(), twice.end());
}

bool RestOfReasons::fits(const std::vector<StandIn> &own, const std::vector<StandIn> &stand_ins,
                         size_t singles, size_t most) const {
    const bool same_kind = singles >= most ? !singles_ : !many_ && singles + singles_ <= most;
    const size_t waiting = count_waiting(own);
    if (!same_kind || waiting != count_waiting(stand_ins) ||
        !std::equal(own.begin(), own.begin() + ptrdiff_t(waiting), stand_ins.begin()))
        return false;
    // An execution that went on in one walk must be open in the other.
    for (size_t i = waiting; i < own.size(); ++i) {
        const StandIn *other = find(stand_ins, own[i].key);
        if (touched_[i] && !(other && *other == own[i]))
            return false;
    }
    // One that was not open there must not go on here.
    return std::all_of(
        stand_ins.begin() + ptrdiff_t(waiting), stand_ins.end(), [&](const StandIn &one) {
            const StandIn *other = find(own, one.key);
            const auto statement = uint32_t(one.key.second);
            auto began = [&](uint64_t activation) {
                return std::ranges::binary_search(executions_, Execution(statement, activation));
            };
            return (other && *other == one) || !(began(one.key.first) || began(0));
        });
}

void ReasonsWhole::add(const ReasonsPart &part) {
    std::vector<Reals> reals = std::move(reals_);
    reals.resize(part.moments.size());
    for (size_t i = 0; i < part.moments.size(); ++i) {
        const Moment &moment = part.moments[i];
        if (i >= part.stand_ins.size())
            reals[i] = {{placed(moment), 0}};
        else if (is_open(part.stand_ins[i]) && !reals[i].empty()) {
            Moment &real = moments_[reals[i].front().moment];
            real.first = std::min(real.first, moment.first);
        }
    }
    std::unordered_set<uint64_t> linked; // users of events
    for (const Edge &edge : part.edges)
        for (const Real &user : reals[edge.user]) {
            const bool waited = !edge.bytes || !user.bytes || edge.bytes & user.bytes;
            const uint64_t once = uint64_t(edge.event) << 32 | user.moment;
            if (waited && (!edge.event || linked.insert(once).second))
                link(user.moment, reals[edge.definer].front().moment, edge);
        }
    reals_.clear();
    for (const Behind &one : part.behind) {
        if (one.stand_in >= reals_.size())
            reals_.resize(one.stand_in + 1);
        for (const Real &real : reals[one.moment]) {
            const auto common =
                uint8_t(real.bytes && !one.moved ? real.bytes & one.bytes : one.bytes);
            if (common || !one.bytes)
                reals_[one.stand_in].push_back({real.moment, common});
        }
    }
}

uint32_t ReasonsWhole::placed(const Moment &moment) {
    const auto number = uint32_t(moments_.size());
    if (moment.many) {
        auto [found, is_new] = many_.try_emplace(moment.statement, number);
        if (!is_new) {
            Moment &known = moments_[found->second];
            known.first = std::min(known.first, moment.first);
            return found->second;
        }
    }
    moments_.push_back(moment);
    return number;
}

void ReasonsWhole::link(uint32_t user, uint32_t definer, const Edge &edge) {
    if (user == definer)
        return;
    const bool any_place = moments_[user].many || moments_[definer].many;
    const uint32_t number = edges_between_.find(user, definer, [&](uint32_t known) {
        return edges_[known].kind == edge.kind && (any_place || edges_[known].where == edge.where);
    });
    if (number != EdgesBetween::none) {
        edges_[number].count += edge.count;
        return;
    }
    edges_between_.add(user, definer, uint32_t(edges_.size()));
    edges_.push_back(edge);
    edges_.back().user = user;
    edges_.back().definer = definer;
}

std::vector<Behind> translated(const std::vector<Behind> &behind, const std::vector<StandIn> &from,
                               const std::vector<StandIn> &to) {
    std::vector<Behind> made;
    for (Behind one : behind)
        if (const StandIn *known = find(to, from[one.stand_in].key)) {
            one.stand_in = uint32_t(known - to.data());
            made.push_back(one);
        }
    return made;
}

} // namespace heapstory::slice
