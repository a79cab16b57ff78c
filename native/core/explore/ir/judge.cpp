// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/ir/judge.h"

#include <algorithm>
#include <set>

namespace heapstory::explore::ir {
namespace {

// The number of a value: itself, or the object that stands for it.
int64_t number_of(uint64_t value) {
    uint64_t first = address_of(first_value);
    if (value >= first && value < first + (uint64_t(1) << 40) && (value - first) % (1 << 24) == 0)
        return int64_t((value - first) >> 24);
    return int64_t(value);
}

class Search {
  public:
    Search(const Code &code, const std::vector<Call> &calls) : code_(code), calls_(calls) {
        for (const Call &call : calls)
            if (call.answered)
                must_ |= 1U << call.slot;
    }

    bool from(uint32_t placed, const Abstract &object) {
        if ((placed & must_) == must_)
            return true;
        if (!seen_.emplace(placed, object.state).second)
            return false;
        for (const Call &call : calls_) {
            if (placed >> call.slot & 1 || (call.after & ~placed) != 0)
                continue;
            Abstract next = object;
            int64_t said = lost;
            if (!call.answered || call.answer != lost)
                said = next.apply(code_, code_.operations[size_t(call.operation)].method,
                                  call.argument);
            if (call.answered && call.answer != lost && !agrees(call, said))
                continue;
            if (from(placed | 1U << call.slot, next))
                return true;
        }
        return false;
    }

  private:
    bool agrees(const Call &call, int64_t said) const {
        bool silent = code_.operations[size_t(call.operation)].says == Says::nothing;
        return silent ? said != full : said == call.answer;
    }

    const Code &code_;
    const std::vector<Call> &calls_;
    uint32_t must_ = 0;
    std::set<std::pair<uint32_t, Longs>> seen_;
};

} // namespace

int64_t Abstract::apply(const Code &code, Method method, int64_t argument) {
    auto at = std::find(state.begin(), state.end(), argument);
    bool there = at != state.end();
    switch (method) {
    case Method::insert:
        if (code.capacity >= 0 && int64_t(state.size()) >= code.capacity)
            return full;
        state.push_back(argument);
        return done;
    case Method::take_front:
    case Method::take_back: {
        if (state.empty())
            return empty;
        auto taken = method == Method::take_front ? state.begin() : state.end() - 1;
        int64_t value = *taken;
        state.erase(taken);
        return value;
    }
    case Method::add:
        if (!there)
            state.insert(std::lower_bound(state.begin(), state.end(), argument), argument);
        return !there;
    case Method::remove:
        if (there)
            state.erase(at);
        return there;
    case Method::contains:
        return there;
    case Method::write:
        state.assign(1, argument);
        return done;
    default:
        if (state.empty())
            state.push_back(0);
        int64_t before = state[0];
        state[0] += method == Method::increment ? 1 : method == Method::decrement ? -1 : 0;
        return before;
    }
}

bool explained(const Code &code, const std::vector<Call> &calls) {
    return Search(code, calls).from(0, {});
}

std::optional<int64_t> answer_of(const Operation &operation, uint64_t status, uint64_t value) {
    auto code = int64_t(status);
    if (std::find(operation.lost.begin(), operation.lost.end(), code) != operation.lost.end())
        return lost;
    switch (operation.says) {
    case Says::nothing:
        return done;
    case Says::truth:
        return code == operation.yes  ? std::optional<int64_t>(1)
               : code == operation.no ? std::optional<int64_t>(0)
                                      : std::nullopt;
    case Says::status:
        return code == operation.no ? empty : number_of(status);
    case Says::value:
        if (code == operation.yes)
            return number_of(value);
        return code == operation.no ? std::optional<int64_t>(empty) : std::nullopt;
    case Says::number:
        return code;
    case Says::done:
        return code == operation.yes  ? std::optional<int64_t>(done)
               : code == operation.no ? std::optional<int64_t>(full)
                                      : std::nullopt;
    }
    return std::nullopt;
}

} // namespace heapstory::explore::ir
