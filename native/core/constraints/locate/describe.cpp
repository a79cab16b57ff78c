// What the engine found, told in terms of the trace.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/locate/structure.h"

#include <algorithm>

namespace heapstory::constraints {

ObjectPlace Structure::place_of(Object object) const {
    return {line_.blocks[line_.block[object]].id, line_.base[object]};
}

std::optional<FieldPlace> Structure::place_of_cell(uint32_t cell) const {
    if (cell == none)
        return std::nullopt;
    Object object = line_.owner(cell);
    auto [node, base] = place_of(object);
    return FieldPlace{node, base, uint32_t(line_.type[object]), cell - line_.first_cell[object]};
}

FoundInconsistency Structure::described(const Inconsistency &found) const {
    FoundInconsistency out{found.constraint, {}};
    for (const Bound &bound : found.binding)
        if (bound.object == no_object)
            out.binding.emplace_back(int64_t(bound.number));
        else
            out.binding.emplace_back(place_of(bound.object));
    return out;
}

std::vector<FoundInconsistency>
Structure::described(const std::vector<Inconsistency> &found) const {
    std::vector<FoundInconsistency> out;
    for (const Inconsistency &one : found)
        out.push_back(described(one));
    return out;
}

std::optional<HeldValue> Structure::described(const Version *version, uint64_t time) const {
    if (!version)
        return std::nullopt;
    uint32_t block = line_.block_of(*version);
    if (block == none)
        return HeldValue{version->value, std::nullopt, std::nullopt, false};
    const Block &target = line_.blocks[block];
    return HeldValue{version->value, target.id, version->value - target.address,
                     time >= target.death};
}

std::vector<Operation> Structure::operations(std::vector<uint64_t> times) const {
    std::sort(times.begin(), times.end());
    std::vector<Operation> out;
    add_lives(times, out);
    add_stores(times, out);
    return out;
}

void Structure::add_lives(const std::vector<uint64_t> &times, std::vector<Operation> &out) const {
    for (Object object = 0; object < line_.objects(); ++object) {
        if (line_.head(object) != object)
            continue;
        const Block &block = line_.blocks[line_.block[object]];
        auto add = [&](OperationKind kind, uint64_t time, uint32_t stack) {
            if (std::binary_search(times.begin(), times.end(), time))
                out.push_back(
                    {time, kind, place_of(object), line_.type[object], stack, 0, 0, {}, {}});
        };
        add(OperationKind::birth, block.birth, block.stack);
        add(OperationKind::death, block.death, block.free_stack);
    }
}

void Structure::add_stores(const std::vector<uint64_t> &times, std::vector<Operation> &out) const {
    Span unused;
    for (Object object = 0; object < line_.objects(); ++object)
        for (uint32_t cell = line_.first_cell[object]; cell < line_.first_cell[object + 1]; ++cell)
            for (const Version &version : line_.cell(cell)) {
                uint64_t time = version.since;
                if (!std::binary_search(times.begin(), times.end(), time))
                    continue;
                const Version *old = time ? line_.at(cell, time - 1, unused) : nullptr;
                out.push_back({time, OperationKind::store, place_of(object), line_.type[object], 0,
                               cell - line_.first_cell[object], version.site,
                               described(old, time - 1), described(&version, time)});
            }
}

} // namespace heapstory::constraints
