// Loops and what their iterations take over, for Python.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "slice_loops.h"

namespace nb = nanobind;

namespace heapstory {

namespace {

Table table_of_loops(const std::vector<slice::Loop> &loops) {
    Batch rows(9);
    for (size_t i = 0; i < loops.size(); ++i) {
        const slice::Loop &loop = loops[i];
        if (!loop.entered)
            continue;
        rows[0].number(i + 1);
        rows[1].number(loop.header);
        rows[2].number(loop.parent);
        rows[3].flag(loop.reducible);
        rows[4].number(loop.entered);
        rows[5].number(loop.iterations);
        rows[6].number(loop.reached);
        rows[7].flag(loop.entered_before);
        rows[8].flag(loop.goes_on);
    }
    return {table_of({{"loop"},
                      {"header", ColumnType::word},
                      {"parent"},
                      {"reducible", ColumnType::flag},
                      {"entered"},
                      {"iterations"},
                      {"reached"},
                      {"entered_before", ColumnType::flag},
                      {"goes_on", ColumnType::flag}},
                     std::move(rows))};
}

Table table_of_carried(const std::vector<slice::Loop> &loops) {
    Batch rows(11);
    for (size_t i = 0; i < loops.size(); ++i)
        for (const slice::Carried &one : loops[i].carried) {
            rows[0].number(i + 1);
            rows[1].choice(uint8_t(one.kind));
            rows[2].number(one.from);
            rows[3].number(one.to);
            rows[4].flag(one.location.memory);
            rows[5].number(one.location.where);
            rows[6].number(one.location.step);
            rows[7].id(one.location.stack);
            rows[8].number(one.count);
            rows[9].number(one.least);
            rows[10].number(one.most);
        }
    const std::vector<std::string> kinds = {"flow", "anti", "control", "induction", "reduction"};
    return {table_of({{"loop"},
                      {"kind", ColumnType::choice, kinds},
                      {"from", ColumnType::word},
                      {"to", ColumnType::word},
                      {"memory", ColumnType::flag},
                      {"where", ColumnType::word},
                      {"step"},
                      {"stack", ColumnType::word},
                      {"count"},
                      {"least"},
                      {"most"}},
                     std::move(rows))};
}

Table table_of_ends(const std::vector<slice::Loop> &loops) {
    Batch rows(3);
    for (size_t i = 0; i < loops.size(); ++i)
        for (const slice::Loop::End &end : loops[i].ends) {
            rows[0].number(i + 1);
            rows[1].number(end.address);
            rows[2].flag(end.conditional);
        }
    return {table_of({{"loop"}, {"address", ColumnType::word}, {"conditional", ColumnType::flag}},
                     std::move(rows))};
}

} // namespace

std::tuple<Table, Table, Table> loop_tables(const slice::Prepared &prepared,
                                            const std::vector<MemoryRange> &ignored,
                                            std::vector<stream::Allocation> allocations,
                                            slice::LinesOf lines, bool forward, bool whole) {
    nb::gil_scoped_release released;
    slice::LoopOptions options;
    options.forward = forward;
    options.whole = whole;
    options.allocations = std::move(allocations);
    options.lines = std::move(lines);
    for (auto [address, size] : ignored)
        options.ignored.push_back({address, size});
    const std::vector<slice::Loop> loops = slice::loops(prepared, options);
    return {table_of_loops(loops), table_of_carried(loops), table_of_ends(loops)};
}

} // namespace heapstory
