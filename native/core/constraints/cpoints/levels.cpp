// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/cpoints/levels.h"

#include <algorithm>

namespace heapstory::constraints {

namespace {

constexpr uint32_t most_turns = 256; // of a loop; then the function was entered again after all

// The outermost inlined function that belongs.
const Inlined *operation_of(const CodePath &path) {
    auto own = std::find_if(path.inlined.begin(), path.inlined.end(),
                            [](const Inlined &inlined) { return inlined.own; });
    return own == path.inlined.end() ? nullptr : &*own;
}

} // namespace

bool Levels::has_call(uint32_t call) const {
    return std::any_of(levels_.begin() + 1, levels_.end(),
                       [&](const Level &level) { return level.call == call; });
}

size_t Levels::called() const {
    size_t level = levels_.size() - 1;
    while (level && !levels_[level].call)
        --level;
    return level;
}

// Where a statement is of another function than the one that was called, that has ended with a
// jump to the other (a tail call).
void Levels::note_compiled_into(const CodePath &path) {
    Level &level = levels_[called()];
    if (!level.call || !path.compiled_into.first ||
        path.compiled_into.first == level.function.first)
        return;
    level.own |= path.compiled_into_own;
    level.holds_own |= path.compiled_into_own;
}

const Inlined *Levels::store(const CodePath &path, uint32_t site, uint64_t time) {
    note_compiled_into(path);
    levels_[called()].holds_own = true;
    const Level &level = levels_[called()];
    const Inlined *operation = operation_of(path);
    if (!operation || level.own || level.covered)
        return nullptr;
    std::erase_if(stores_, [&](const Stored &store) { return store.site == site; });
    stores_.push_back({time, site});
    if (operation_ == no_level) {
        operation_ = levels_.size();
        began_ = time - 1;
        runs.clear();
    }
    return operation;
}

// Whether the inlined function that a call is in has stored something before it.
bool Levels::is_begun(const CodePath &path, StructureCode &code) const {
    if (path.inlined.empty())
        return false;
    return std::any_of(stores_.begin(), stores_.end(), [&](const Stored &store) {
        return code.path(store.site).inlined.front().is_same(path.inlined.front());
    });
}

// If the function that the call is in has begun to store already, what has ended before is not
// told: the structure may not be as it was then. C-points in it are judged when that one ends.
void Levels::before_call(StructureCode &code, uint32_t site, uint64_t time, Endings &endings) {
    const CodePath &path = code.path(site);
    note_compiled_into(path);
    if (operation_ != no_level && operation_ >= levels_.size())
        operation_ = no_level;
    Endings *told = is_begun(path, code) ? nullptr : &endings;
    Points later;
    if (!stores_.empty())
        go_to(code.path(stores_.back().site), stores_.back().site, time, told, later);
    size_t known = levels_.size();
    go_to(path, site, time, told, later);
    if (!later.empty()) {
        Points &inside = levels_[called() + 1].inside;
        inside.insert(inside.end(), later.begin(), later.end());
    }
    count_calls(std::min(known, levels_.size()), code, site, time, endings);
    stores_.clear();
}

// A call that the operation has made before, since it began or was last seen to do so. If it was
// entered again it went through its first lines again, unless they only set up something.
void Levels::count_calls(size_t known, StructureCode &code, uint32_t site, uint64_t time,
                         Endings &endings) {
    size_t at = called() + 1;
    while (at < levels_.size() && !levels_[at].own)
        ++at;
    if (at == levels_.size() || levels_[at].covered)
        return;
    Level &level = levels_[at];
    if (level.calls.empty())
        for (const Stored &store : stores_)
            level.heads.insert(store.site);
    uint32_t line = first_line(at, code, site);
    if (level.calls.contains(site) && at < known &&
        (line <= level.top || ++level.turns > most_turns)) {
        endings.round_ended(level, round_end(level, time));
        level.calls.clear();
        level.top = line;
        level.turns = 0;
    }
    level.calls.insert(site);
    level.top = std::min(level.top, line);
}

// Of what an inlined function has done since the last call, up to this one.
uint32_t Levels::first_line(size_t level, StructureCode &code, uint32_t call) const {
    size_t depth = level - (called() + 1);
    uint32_t line = code.path(call).inlined[depth].at;
    for (const Stored &store : stores_) {
        const std::vector<Inlined> &inlined = code.path(store.site).inlined;
        if (depth < inlined.size() && inlined[depth].is_same(levels_[level].inlined))
            line = std::min(line, inlined[depth].at);
    }
    return line;
}

// Before the stores with which the next round begins, as the first did.
uint64_t Levels::round_end(const Level &level, uint64_t time) const {
    for (auto store = stores_.rbegin(); store != stores_.rend(); ++store) {
        if (!level.heads.contains(store->site))
            break;
        time = store->time - 1;
    }
    return time;
}

// Ends the inlined functions that a statement is not in and begins those that it is in.
void Levels::go_to(const CodePath &path, uint32_t site, uint64_t time, Endings *endings,
                   Points &later) {
    size_t base = called() + 1, common = 0;
    while (common < path.inlined.size() && base + common < levels_.size() &&
           levels_[base + common].inlined.is_same(path.inlined[common]))
        ++common;
    while (levels_.size() > base + common) {
        Level level = pop();
        if (endings)
            endings->ended(level, time);
        else
            later.insert(later.end(), level.inside.begin(), level.inside.end());
    }
    uint64_t began = stores_.empty() ? time : stores_.front().time - 1;
    for (; common < path.inlined.size(); ++common) {
        Level level;
        level.inlined = path.inlined[common];
        level.function = level.inlined.function;
        level.own = level.holds_own = level.inlined.own;
        level.site = site;
        push(std::move(level), began);
    }
}

void Levels::call(Level level, uint64_t time) {
    push(std::move(level), time);
}

void Levels::push(Level level, uint64_t began) {
    level.covered = levels_.back().covered || levels_.back().own;
    level.first = levels_.size();
    if (level.function.first)
        level.first = first_.try_emplace(level.function, levels_.size()).first->second;
    if (level.holds_own && !level.outermost && operation_ == no_level) {
        operation_ = levels_.size();
        began_ = began;
        runs.clear();
    }
    levels_.push_back(std::move(level));
}

Level Levels::pop() {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    if (level.function.first && level.first == levels_.size())
        first_.erase(level.function);
    if (operation_ != no_level && operation_ >= levels_.size())
        operation_ = no_level;
    return level;
}

Level Levels::leave(uint32_t call, uint64_t time, Endings &endings) {
    stores_.clear();
    while (levels_.back().call != call) {
        bool is_last = levels_[called()].call == call;
        Level level = pop();
        if (is_last)
            endings.ended(level, time);
    }
    return pop();
}

} // namespace heapstory::constraints
