// EarlyFree: a block that was freed while still in use (see fault_models.h).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/hypotheses/fault_models.h"

#include <algorithm>

namespace heapstory::constraints {

namespace {

constexpr size_t most_deaths = 16;

} // namespace

// A pointer with the meaning that it has if the block is still there: also one that was stored
// after the block's end, and dangled from the start. None if it does not lead there.
std::optional<Version> EarlyFree::revived(const Version *version, uint32_t block) const {
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
void EarlyFree::suppose_rewritten(const Hypothesis &revived, uint32_t block,
                                  Hypotheses &out) const {
    for (size_t i = 0; i < revived.changes.size(); ++i) {
        auto [cell, version] = revived.changes[i];
        if (line_.block[line_.owner(cell)] != block || !at_.holds_address(cell))
            continue;
        for (const Version &value : values_.pointers(cell))
            if (value.target != unknown_target && !same(value, version)) {
                Hypothesis rewritten = revived;
                rewritten.changes[i].version = value;
                out.add(std::move(rewritten));
            }
    }
}

// Fields that may lead to one of these blocks, which are gone.
std::vector<uint32_t> EarlyFree::cells_into(std::span<const uint32_t> blocks) const {
    std::vector<uint32_t> out;
    uint64_t low = forever, high = 0;
    for (uint32_t block : blocks) {
        low = std::min(low, line_.blocks[block].address);
        high = std::max(high, line_.blocks[block].address + line_.blocks[block].size);
    }
    auto may_lead = [&](const Version &version) {
        uint32_t block = line_.block_of(version);
        return block == none ? version.value >= low && version.value < high
                             : line_.blocks[block].death <= at_.time();
    };
    for (Object object = 0; object < line_.objects(); ++object)
        if (line_.alive(object, at_.time()))
            for (uint32_t cell = line_.first_cell[object]; cell < line_.first_cell[object + 1];
                 ++cell)
                if (const Version *version = at_.held(cell); version && may_lead(*version))
                    out.push_back(cell);
    return out;
}

// As it was at its end, with all pointers to it good again; `leading`: where such may be.
void EarlyFree::suppose(uint32_t block, const std::vector<uint32_t> &leading,
                        Hypotheses &out) const {
    Hypothesis hypothesis{line_.blocks[block].death, {}, block, false};
    uint64_t last = line_.blocks[block].death - 1;
    Span unused;
    uint32_t first = line_.first_cell[line_.first_object[block]];
    uint32_t end = line_.first_cell[line_.first_object[block + 1]];
    for (uint32_t cell = first; cell < end; ++cell) {
        const Version *version = line_.at(cell, last, unused);
        auto led = revived(version, block);
        hypothesis.changes.push_back({cell, led ? *led : at_.frozen(version)});
    }
    for (uint32_t cell : leading)
        if (auto led = revived(at_.held(cell), block))
            hypothesis.changes.push_back({cell, *led});
    bool used = hypothesis.changes.size() > end - first;
    out.add(hypothesis);
    if (used)
        suppose_rewritten(hypothesis, block, out);
    out.end_group();
}

void EarlyFree::suppose(Hypotheses &out) const {
    std::span dead(at_.deaths().data(), std::min(at_.deaths().size(), most_deaths));
    if (dead.empty())
        return;
    std::vector<uint32_t> leading = cells_into(dead);
    for (uint32_t block : dead)
        suppose(block, leading, out);
}

} // namespace heapstory::constraints
