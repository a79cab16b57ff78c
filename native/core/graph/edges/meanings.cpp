// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/edges/meanings.h"

#include <algorithm>

namespace heapstory {

Meanings::Meanings(const Store &store, const Pointers &pointers, Asked asked)
    : store_(store), pointers_(pointers) {
    if (asked == Asked::little)
        return;
    lives_.emplace(store);
    if (!lives_->simple())
        lives_.reset();
}

bool Meanings::Turn::operator==(const Turn &other) const {
    return meaning.target == other.meaning.target && meaning.offset == other.meaning.offset &&
           meaning.state == other.meaning.state && by == other.by && followed == other.followed;
}

uint64_t Meanings::newest(uint64_t address, uint64_t n) const {
    return lives_ ? lives_->newest(address, n) : store_.nodes().find_last(address, n);
}

uint64_t Meanings::holder(uint64_t address, uint64_t n) const {
    if (!lives_)
        return store_.nodes().find(address, n);
    uint64_t node = lives_->newest(address, n);
    return node && lives_->get(node).death > n ? node : 0;
}

Meanings::Life Meanings::life_of(uint64_t node) const {
    if (lives_)
        return {lives_->get(node).birth, lives_->get(node).death};
    NodeRow row = store_.nodes().get(node);
    return {row.birth, row.death};
}

Meanings::Turn Meanings::turn(uint64_t value, uint64_t stored, uint64_t now) const {
    Turn made{now, meaning(value, stored, now)};
    if (made.meaning.state == EdgeState::stale)
        made.by = holder(value, now);
    return made;
}

void Meanings::turns(uint64_t value, uint64_t stored, uint64_t until,
                     std::vector<Turn> &out) const {
    out.assign(1, turn(value, stored, stored));
    const Turn first = out.front();
    if (!first.meaning.target || until <= stored + 1)
        return;
    // Whoever was born meanwhile and holds the address, the youngest first.
    std::vector<uint64_t> moments;
    size_t births = 0;
    const uint64_t last = until - 1;
    for (uint64_t node = newest(value, last); node; ++births) {
        Life life = life_of(node);
        if (life.death <= last && life.death > stored)
            moments.push_back(life.death);
        if (life.birth <= stored)
            break;
        moments.push_back(life.birth);
        if (births == most_followed) {
            moments.clear();
            break;
        }
        node = newest(value, life.birth - 1);
    }
    uint64_t gone = life_of(first.meaning.target).death;
    if (gone <= last && gone > stored)
        moments.push_back(gone);
    std::ranges::sort(moments);
    for (uint64_t moment : moments) {
        Turn next = turn(value, stored, moment);
        if (births >= most_followed && next.meaning.state == EdgeState::stale) {
            next.by = 0;
            next.followed = false;
        }
        if (next != out.back())
            out.push_back(next);
    }
}

} // namespace heapstory
