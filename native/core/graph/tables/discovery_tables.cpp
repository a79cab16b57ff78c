// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/tables/discovery_tables.h"

namespace heapstory {

namespace {

using enum ColumnType;

// The members of the enumerations of discoveries.h, by number.
const std::vector<std::string> suspicion_kinds = {"?", "offset", "range", "walk", "stale", "field"};
const std::vector<std::string> count_kinds = {"?",        "high",  "far",    "silent",
                                              "bad-free", "quiet", "crowded"};
const std::vector<std::string> candidate_kinds = {"?", "gives", "takes"};

template <class Kind> uint8_t code(Kind kind, const std::vector<std::string> &kinds) {
    return size_t(kind) < kinds.size() ? uint8_t(kind) : 0;
}

TableData suspicions_table(const Store &store) {
    std::vector<ColumnSpec> columns = {{"kind", choice, suspicion_kinds},
                                       {"possible", flag},
                                       {"timestamp", number},
                                       {"site", number},
                                       {"address", word},
                                       {"bytes", number},
                                       {"base", word},
                                       {"node", number},
                                       {"reached", number}};
    Batch out(columns.size());
    for (const Suspicion &row : store.discovered().lists().suspicions) {
        out[0].choice(code(row.kind, suspicion_kinds));
        out[1].flag(row.possible);
        out[2].number(store.timestamp_after(row.after));
        out[3].id(row.site);
        out[4].number(row.address);
        out[5].number(row.bytes);
        out[6].number(row.base);
        out[7].id(row.node);
        out[8].id(row.reached);
    }
    return table_of(columns, std::move(out));
}

TableData counts_table(const Store &store) {
    std::vector<ColumnSpec> columns = {{"what", choice, count_kinds}, {"times", number}};
    Batch out(columns.size());
    for (const Count &row : store.discovered().lists().counts) {
        out[0].choice(code(row.what, count_kinds));
        out[1].number(row.times);
    }
    return table_of(columns, std::move(out));
}

TableData candidates_table(const Store &store) {
    std::vector<ColumnSpec> columns = {{"kind", choice, candidate_kinds},
                                       {"site", number},
                                       {"address", word},
                                       {"bytes", number},
                                       {"blocks", number}};
    Batch out(columns.size());
    for (const Candidate &row : store.discovered().lists().candidates) {
        out[0].choice(code(row.kind, candidate_kinds));
        out[1].id(row.site);
        out[2].number(row.address);
        out[3].number(row.bytes);
        out[4].number(row.blocks);
    }
    return table_of(columns, std::move(out));
}

TableData truth_table(const Store &store) {
    std::vector<ColumnSpec> columns = {
        {"timestamp", number}, {"address", word}, {"size", number}, {"free", flag}};
    Batch out(columns.size());
    for (const TrueBlock &row : store.discovered().lists().truth) {
        out[0].number(store.timestamp_after(row.after));
        out[1].number(row.address);
        out[2].number(row.size);
        out[3].flag(row.is_free);
    }
    return table_of(columns, std::move(out));
}

} // namespace

TableData clusters_table(const Store &store, const Clusters &clusters, uint64_t n) {
    std::vector<ColumnSpec> columns = {{"id", number}, {"timestamp", number}};
    Batch out(columns.size());
    for (uint64_t id = 1; id <= clusters.size(); ++id) {
        if (clusters.get(id).after > n)
            break;
        out[0].number(id);
        out[1].number(store.timestamp_after(clusters.get(id).after));
    }
    return table_of(columns, std::move(out));
}

TableData merges_table(const Store &store, const Clusters &clusters, uint64_t n) {
    std::vector<ColumnSpec> columns = {{"cluster", number},
                                       {"source", number},
                                       {"target", number},
                                       {"timestamp", number},
                                       {"site", number}};
    Batch out(columns.size());
    for (const MergeEdge &merge : clusters.merges()) {
        if (merge.after > n || merge.until <= n)
            continue;
        out[0].number(clusters.of(merge.from, n));
        out[1].number(merge.from);
        out[2].number(merge.to);
        out[3].number(store.timestamp_after(merge.after));
        out[4].id(merge.site);
    }
    return table_of(columns, std::move(out));
}

TableData discovery_table(const Store &store, const std::string &name) {
    if (name == "suspicions")
        return suspicions_table(store);
    if (name == "counts")
        return counts_table(store);
    if (name == "candidates")
        return candidates_table(store);
    if (name == "truth")
        return truth_table(store);
    throw FormatError("there is no list of " + name);
}

} // namespace heapstory
