// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/timeline/references.h"

namespace heapstory::constraints {

void References::begin() {
    uint32_t next = 0;
    for (auto &[pointer, number] : numbers_)
        number = next++;
}

void References::add(uint64_t block, uint64_t address, uint64_t since, uint64_t until) {
    if (auto at = numbers_.find({block, address}); at != numbers_.end() && since < until)
        found_.push_back({at->second, {since, until, ~Object(0), 0}});
}

void References::finish() {
    index_.first.assign(numbers_.size() + 1, 0);
    for (const auto &[number, edge] : found_)
        ++index_.first[number + 1];
    for (size_t i = 1; i < index_.first.size(); ++i)
        index_.first[i] += index_.first[i - 1];
    index_.edges.resize(found_.size());
    std::vector<uint64_t> next(index_.first.begin(), index_.first.end() - 1);
    for (const auto &[number, edge] : found_)
        index_.edges[next[number]++] = edge;
    index_.arrange();
    found_ = {};
}

uint64_t References::count(uint64_t block, uint64_t address, uint64_t time, Span &span) const {
    auto at = numbers_.find({block, address});
    return at == numbers_.end() ? 0 : index_.count(at->second, time, span);
}

} // namespace heapstory::constraints
