// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/load/texts_of_store.h"

#include <algorithm>

namespace heapstory::constraints {

const std::vector<StoreTexts::Moment> &StoreTexts::word(Held &block, uint64_t word) const {
    auto [at, added] = block.words.try_emplace(word);
    std::vector<Moment> &moments = at->second;
    if (!added)
        return moments;
    const NodeRow &row = block.row;
    moments.push_back({0, 0, uint8_t(row.flags & Birth::zeroed ? 0xff : 0)});
    uint64_t end = row.death == never ? store_->totals().events : row.death;
    for (const heapstory::Version &version :
         store_->versions(word * 8, 8, store_->contents_since(block.id, row, word * 8), end)) {
        Moment next = moments.back();
        next.since = std::max(row.birth_timestamp,
                              version.initial ? uint64_t(0) : store_->timestamp_of(version.event));
        for (uint64_t byte = 0; byte < std::min<uint64_t>(version.size, 8); ++byte) {
            uint64_t place = version.address + byte - word * 8;
            if (place >= 8)
                continue;
            next.value &= ~(uint64_t(0xff) << (8 * place));
            next.value |= (version.value >> (8 * byte) & 0xff) << (8 * place);
            next.mask |= uint8_t(1u << place);
        }
        moments.push_back(next);
    }
    return moments;
}

std::optional<std::string> StoreTexts::text(uint64_t id, uint64_t offset, uint64_t most,
                                            uint64_t time, Span &span) const {
    std::lock_guard busy(busy_);
    auto [block, added] = blocks_.try_emplace(id);
    if (added) {
        block->second.id = id;
        block->second.row = store_->nodes().get(id);
    }
    std::string found;
    uint64_t address = block->second.row.address + offset;
    for (uint64_t at = address; at < address + most;) {
        const auto &moments = word(block->second, at / 8);
        auto after = std::partition_point(moments.begin(), moments.end(),
                                          [&](const Moment &m) { return m.since <= time; });
        span.narrow(after == moments.begin() ? 0 : after[-1].since,
                    after == moments.end() ? forever : after->since);
        if (after == moments.begin())
            return std::nullopt;
        const Moment &now = after[-1];
        for (; at < address + most; ++at) {
            if (!(now.mask >> at % 8 & 1))
                return std::nullopt;
            char byte = char(now.value >> (8 * (at % 8)));
            if (!byte)
                return found;
            found.push_back(byte);
            if (at % 8 == 7) {
                ++at;
                break;
            }
        }
    }
    return found;
}

} // namespace heapstory::constraints
