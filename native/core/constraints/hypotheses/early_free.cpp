// What if a block had not been freed?
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/hypotheses/repair.h"

#include <algorithm>

namespace heapstory::constraints {

// A pointer with a meaning that it has if the block is still there: also one that was stored after
// the block's end, to an address that was nobody's then. Null if it does not lead there.
std::optional<Version> Repair::revived(const Version *version, uint32_t block) const {
    if (!version || line_.block_of(*version) == block)
        return version ? std::optional(*version) : std::nullopt;
    const Block &gone = line_.blocks[block];
    if (version->target != none || version->since < gone.death ||
        version->value - gone.address >= gone.size)
        return std::nullopt;
    Version out = *version;
    out.target = block + uint32_t(line_.objects());
    for (Object object = line_.first_object[block]; object < line_.first_object[block + 1];
         ++object)
        if (line_.address(object) == version->value)
            out.target = line_.head(object);
    return out;
}

// The program may have gone on to write to it, and that was not recorded: one of its pointers may
// lead elsewhere by now.
void Repair::suppose_rewritten(const Hypothesis &revived, uint32_t block) {
    for (size_t i = 0; i < revived.changes.size(); ++i) {
        auto [cell, version] = revived.changes[i];
        if (line_.block[line_.owner(cell)] != block || !holds_address(cell))
            continue;
        for (const Version &value : pointers_for(cell))
            if (value.target != unknown_target && !same(value, version)) {
                hypotheses_.push_back(revived);
                hypotheses_.back().changes[i].version = value;
            }
    }
}

// Fields that may lead to one of these blocks, which are gone.
std::vector<uint32_t> Repair::cells_into(std::span<const uint32_t> blocks) const {
    std::vector<uint32_t> out;
    uint64_t low = forever, high = 0;
    for (uint32_t block : blocks) {
        low = std::min(low, line_.blocks[block].address);
        high = std::max(high, line_.blocks[block].address + line_.blocks[block].size);
    }
    auto may_lead = [&](const Version &version) {
        uint32_t block = line_.block_of(version);
        return block == none ? version.value >= low && version.value < high
                             : line_.blocks[block].death <= time_;
    };
    for (Object object = 0; object < line_.objects(); ++object)
        if (line_.alive(object, time_))
            for (uint32_t cell = line_.first_cell[object]; cell < line_.first_cell[object + 1];
                 ++cell)
                if (const Version *version = held(cell); version && may_lead(*version))
                    out.push_back(cell);
    return out;
}

// As it was at its end, with all pointers to it good again; `leading`: where such may be.
void Repair::suppose_revived(uint32_t block, const std::vector<uint32_t> &leading) {
    Hypothesis hypothesis{line_.blocks[block].death, {}, block, false};
    uint64_t last = line_.blocks[block].death - 1;
    Span unused;
    uint32_t first = line_.first_cell[line_.first_object[block]];
    uint32_t end = line_.first_cell[line_.first_object[block + 1]];
    for (uint32_t cell = first; cell < end; ++cell) {
        const Version *version = line_.at(cell, last, unused);
        auto led = revived(version, block);
        hypothesis.changes.push_back({cell, led ? *led : frozen(version)});
    }
    for (uint32_t cell : leading)
        if (auto led = revived(held(cell), block))
            hypothesis.changes.push_back({cell, *led});
    bool used = hypothesis.changes.size() > end - first;
    hypotheses_.push_back(hypothesis);
    if (used)
        suppose_rewritten(hypothesis, block);
    groups_.push_back(hypotheses_.size());
}

} // namespace heapstory::constraints
