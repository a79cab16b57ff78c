// Dependent loads, for Python.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice_pairs.h"

#include "slice/pairs.h"

namespace nb = nanobind;

namespace heapstory {

std::pair<Table, nb::dict> load_pair_table(const slice::Prepared &prepared,
                                           const std::vector<LoadedMemory> &memory) {
    std::vector<slice::LoadRange> ranges;
    for (auto [address, size, since, until] : memory)
        ranges.push_back({{address, size}, since, until.value_or(~uint64_t(0))});
    slice::LoadPairs found;
    {
        nb::gil_scoped_release released;
        found = slice::load_pairs(prepared, ranges);
    }
    Batch rows(4);
    for (const slice::LoadPair &pair : found.pairs) {
        rows[0].number(pair.from);
        rows[1].number(pair.to);
        rows[2].choice(uint8_t(pair.kind));
        rows[3].number(pair.count);
    }
    nb::dict totals;
    totals["loads"] = found.loads;
    totals["cut"] = found.cut;
    return {{table_of({{"from", ColumnType::word},
                       {"to", ColumnType::word},
                       {"kind", ColumnType::choice, {"address", "control"}},
                       {"count"}},
                      std::move(rows))},
            totals};
}

} // namespace heapstory
