// What questions about the instruction stream share.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice_answers.h"

#include "slice/find.h"

namespace nb = nanobind;

namespace heapstory {

Table table_of_hits(const slice::Slice &found) {
    Batch rows(4);
    for (const slice::Hit &hit : found.hits) {
        rows[0].number(hit.address);
        rows[1].number(hit.count);
        rows[2].number(hit.first);
        rows[3].number(hit.last);
    }
    return {
        table_of({{"address", ColumnType::word}, {"count"}, {"first"}, {"last"}}, std::move(rows))};
}

slice::Criterion criterion_of(const slice::Prepared &prepared, const Asked &asked) {
    const auto &[point, instructions, memory, registers, handed] = asked;
    slice::Criterion criterion;
    criterion.point = {point.first, point.second};
    for (StreamPlace place : instructions) {
        criterion.instructions.push_back({place.first, place.second});
        if (!slice::exists(prepared, criterion.instructions.back()))
            throw nb::index_error("the stream has no such place");
    }
    for (auto [address, size] : memory)
        criterion.memory.push_back({address, size});
    for (auto [first, count] : registers)
        criterion.registers.add(first, count);
    for (const auto &[place, bytes, ranges] : handed) {
        slice::Handed &one = criterion.handed.emplace_back();
        one.point = {place.first, place.second};
        for (auto [first, count] : bytes)
            one.registers.add(first, count);
        for (auto [address, size] : ranges)
            one.memory.push_back({address, size});
    }
    return criterion;
}

slice::Criterion criterion_of(const slice::Prepared &prepared, StreamPlace place,
                              const std::vector<MemoryRange> &memory) {
    if (!slice::exists(prepared, {place.first, place.second}))
        throw nb::index_error("the stream has no such place");
    if (!memory.empty())
        return criterion_of(prepared, {place, {}, memory, {}, {}});
    const StreamPlace behind(place.first, uint16_t(place.second + 1));
    return criterion_of(prepared, {behind, {place}, {}, {}, {}});
}

} // namespace heapstory
