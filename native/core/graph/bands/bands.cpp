// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/bands/bands.h"

#include "graph/nodes/types.h"
#include "store/parallel.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

namespace heapstory {

namespace {

using enum ColumnType;
using N = std::optional<uint64_t>;

constexpr size_t most_keys = 24; // types, sites and statements that are told apart
// Buckets begin anywhere as long as no more chunks than this must be counted anew for them.
constexpr size_t most_counted_anew = 32;

uint64_t end_of(const ChunkHeader &header) {
    return header.first_timestamp + header.changes;
}

// Bucket i holds the changes with bounds[i] < timestamp <= bounds[i + 1].
std::vector<uint64_t> bounds_of(const Store &store, uint64_t first, uint64_t last, size_t buckets) {
    std::vector<uint64_t> bounds{first};
    const double step = double(last - first) / double(buckets);
    std::vector<uint64_t> ends;
    for (uint32_t chunk : store.event_chunks())
        if (uint64_t end = end_of(store.header(chunk)); end > first && end < last)
            ends.push_back(end);
    const bool by_chunks = ends.size() > most_counted_anew;
    for (size_t i = 1; i < buckets; ++i) {
        uint64_t bound = first + uint64_t(step * double(i));
        if (by_chunks)
            bound = *std::ranges::lower_bound(ends, std::min(bound, ends.back()));
        if (bound > bounds.back() && bound < last)
            bounds.push_back(bound);
    }
    if (last > first)
        bounds.push_back(last);
    return bounds;
}

class Buckets {
  public:
    explicit Buckets(std::vector<uint64_t> bounds) : bounds_(std::move(bounds)) {}

    size_t size() const { return bounds_.size() - 1; }
    uint64_t from(size_t bucket) const { return bounds_[bucket]; }
    uint64_t to(size_t bucket) const { return bounds_[bucket + 1]; }
    uint64_t first() const { return bounds_.front(); }
    uint64_t last() const { return bounds_.back(); }
    const std::vector<uint64_t> &bounds() const { return bounds_; }
    size_t of(uint64_t timestamp) const {
        return size_t(std::ranges::lower_bound(bounds_, timestamp) - bounds_.begin()) - 1;
    }

  private:
    std::vector<uint64_t> bounds_;
};

// Births, deaths and what is alive, of one kind of nodes.
class Lives {
  public:
    explicit Lives(size_t buckets) : rows_(buckets) {}

    void add(const Buckets &buckets, const NodeRow &row) {
        const bool initial = row.flags & Birth::initial || row.birth_timestamp <= buckets.first();
        if (initial) {
            ++nodes_before_;
            bytes_before_ += row.size;
        } else {
            Row &at = rows_[buckets.of(row.birth_timestamp)];
            ++at.births;
            at.born += row.size;
        }
        if (row.death_timestamp <= buckets.last()) {
            Row &at = rows_[buckets.of(row.death_timestamp)];
            ++at.deaths;
            at.freed += row.size;
        }
        weight_ += row.size;
    }
    void add(const Lives &other) {
        nodes_before_ += other.nodes_before_;
        bytes_before_ += other.bytes_before_;
        for (size_t i = 0; i < rows_.size(); ++i) {
            rows_[i].births += other.rows_[i].births;
            rows_[i].deaths += other.rows_[i].deaths;
            rows_[i].born += other.rows_[i].born;
            rows_[i].freed += other.rows_[i].freed;
        }
    }
    uint64_t weight() const { return weight_; }

    struct Row {
        uint64_t births = 0, deaths = 0, born = 0, freed = 0; // the last two in bytes
        uint64_t live_nodes = 0, live_bytes = 0;              // at the end of the bucket
        bool any() const { return births || deaths || live_nodes; }
    };
    template <class Visit> void for_each(Visit visit) const { // visit(bucket, row)
        uint64_t nodes = nodes_before_, bytes = bytes_before_;
        for (size_t i = 0; i < rows_.size(); ++i) {
            Row row = rows_[i];
            row.live_nodes = nodes = nodes + row.births - row.deaths;
            row.live_bytes = bytes = bytes + row.born - row.freed;
            visit(i, row);
        }
    }

  private:
    std::vector<Row> rows_;
    uint64_t nodes_before_ = 0, bytes_before_ = 0, weight_ = 0;
};

template <class Value> using ByKey = std::map<uint64_t, Value>;

// The keys of the largest, which are told apart.
template <class Value, class Weight>
std::vector<uint64_t> largest(const ByKey<Value> &all, Weight weight) {
    std::vector<uint64_t> keys;
    for (const auto &[key, value] : all)
        keys.push_back(key);
    std::ranges::stable_sort(keys, std::greater(),
                             [&](uint64_t key) { return weight(all.at(key)); });
    keys.resize(std::min(keys.size(), most_keys));
    std::ranges::sort(keys);
    return keys;
}

struct AllLives {
    Lives all;
    ByKey<Lives> types, sites;
};

AllLives lives_of(const Store &store, const Buckets &buckets) {
    AllLives lives{Lives(buckets.size()), {}, {}};
    const Tables &tables = store.tables();
    store.nodes().for_each([&](uint64_t, const NodeRow &row) {
        if (row.kind != NodeKind::heap || row.birth_timestamp > buckets.last() ||
            row.death_timestamp <= buckets.first())
            return;
        auto add = [&](ByKey<Lives> &to, uint64_t key) {
            to.try_emplace(key, buckets.size()).first->second.add(buckets, row);
        };
        lives.all.add(buckets, row);
        add(lives.types, node_type(tables, row));
        add(lives.sites, tables.site_of_stack(row.stack));
    });
    return lives;
}

TableData buckets_table(const Buckets &buckets, const Lives &lives) {
    std::vector<ColumnSpec> columns = {{"from", number},       {"to", number},
                                       {"births", number},     {"deaths", number},
                                       {"born_bytes", number}, {"freed_bytes", number},
                                       {"live_nodes", number}, {"live_bytes", number}};
    Batch out(columns.size());
    lives.for_each([&](size_t bucket, const Lives::Row &row) {
        uint64_t values[] = {buckets.from(bucket), buckets.to(bucket), row.births,
                             row.deaths,           row.born,           row.freed,
                             row.live_nodes,       row.live_bytes};
        for (size_t i = 0; i < columns.size(); ++i)
            out[i].number(values[i]);
    });
    return table_of(columns, std::move(out));
}

// Adds the key of a row: `name` writes it into its column.
template <class Name> TableData lives_table(const ByKey<Lives> &all, ColumnSpec key, Name name) {
    std::vector<ColumnSpec> columns = {{"bucket", number},    key,
                                       {"other", flag},       {"births", number},
                                       {"deaths", number},    {"live_nodes", number},
                                       {"live_bytes", number}};
    Batch out(columns.size());
    const std::vector<uint64_t> keys = largest(all, [](const Lives &l) { return l.weight(); });
    std::optional<Lives> rest;
    auto add = [&](const Lives &lives, N key_of) {
        lives.for_each([&](size_t bucket, const Lives::Row &row) {
            if (!row.any())
                return;
            out[0].number(uint64_t(bucket));
            name(out[1], key_of.value_or(0));
            out[2].flag(!key_of);
            out[3].number(row.births);
            out[4].number(row.deaths);
            out[5].number(row.live_nodes);
            out[6].number(row.live_bytes);
        });
    };
    for (const auto &[of, lives] : all) {
        if (std::ranges::binary_search(keys, of))
            add(lives, of);
        else if (rest)
            rest->add(lives);
        else
            rest = lives;
    }
    if (rest)
        add(*rest, {});
    return table_of(columns, std::move(out));
}

// Changes by statement and by thread.
class Changes {
  public:
    explicit Changes(size_t buckets) : buckets_(buckets) {}

    void add(size_t bucket, const ChunkCounts &counts) {
        for (const ChunkCounts::Thread &thread : counts.threads)
            at(threads_, thread.thread, bucket) += thread.changes;
        for (const ChunkCounts::Statement &made : counts.statements) {
            at(statements_, made.site, bucket) += made.changes;
            auto [at, fresh] = sums_.try_emplace(made.site, made);
            if (fresh)
                continue;
            ChunkCounts::Statement &sum = at->second;
            sum.changes += made.changes;
            sum.first = std::min(sum.first, made.first);
            sum.last = std::max(sum.last, made.last);
        }
    }
    TableData by_thread() const {
        std::vector<ColumnSpec> columns = {
            {"bucket", number}, {"thread", number}, {"changes", number}};
        Batch out(columns.size());
        for (const auto &[thread, row] : threads_)
            for (size_t bucket = 0; bucket < row.size(); ++bucket)
                if (row[bucket]) {
                    out[0].number(uint64_t(bucket));
                    out[1].number(thread);
                    out[2].number(row[bucket]);
                }
        return table_of(columns, std::move(out));
    }
    TableData by_statement() const {
        std::vector<ColumnSpec> columns = {
            {"bucket", number}, {"site", number}, {"other", flag}, {"changes", number}};
        Batch out(columns.size());
        auto add = [&](const std::vector<uint64_t> &row, uint64_t site, bool other) {
            for (size_t bucket = 0; bucket < row.size(); ++bucket)
                if (row[bucket]) {
                    out[0].number(uint64_t(bucket));
                    out[1].id(site);
                    out[2].flag(other);
                    out[3].number(row[bucket]);
                }
        };
        const auto keys = largest(sums_, [](const auto &sum) { return sum.changes; });
        std::vector<uint64_t> rest(buckets_);
        for (const auto &[site, row] : statements_)
            if (std::ranges::binary_search(keys, site))
                add(row, site, false);
            else
                std::ranges::transform(row, rest, rest.begin(), std::plus());
        add(rest, 0, true);
        return table_of(columns, std::move(out));
    }
    TableData statements() const {
        std::vector<ColumnSpec> columns = {
            {"site", number}, {"changes", number}, {"first", number}, {"last", number}};
        Batch out(columns.size());
        std::vector<ChunkCounts::Statement> rows;
        for (const auto &[site, sum] : sums_)
            rows.push_back(sum);
        std::ranges::stable_sort(rows, std::greater(), &ChunkCounts::Statement::changes);
        for (const ChunkCounts::Statement &row : rows) {
            out[0].id(row.site);
            out[1].number(uint64_t(row.changes));
            out[2].number(row.first);
            out[3].number(row.last);
        }
        return table_of(columns, std::move(out));
    }

  private:
    using Row = std::vector<uint64_t>;
    uint64_t &at(ByKey<Row> &rows, uint64_t key, size_t bucket) {
        return rows.try_emplace(key, buckets_).first->second[bucket];
    }
    size_t buckets_;
    ByKey<Row> threads_, statements_;
    ByKey<ChunkCounts::Statement> sums_;
};

// A chunk that lies within one bucket is counted once for all; others are counted event by event.
bool add_changes(const Store &store, ChangeCounts &counts, const Buckets &buckets,
                 size_t most_chunks, Changes &out) {
    bool complete = true;
    std::vector<size_t> anew;
    for (size_t number = 0; number < counts.chunks(); ++number) {
        const ChunkHeader &header = store.header(store.event_chunks()[number]);
        const uint64_t from = header.first_timestamp, to = end_of(header);
        if (from >= buckets.last() || to <= buckets.first() || from == to)
            continue;
        const bool whole = from >= buckets.first() && to <= buckets.last();
        if (!whole || buckets.of(from + 1) != buckets.of(to)) {
            anew.push_back(number);
            continue;
        }
        auto found = counts.find(number);
        if (!found && most_chunks) {
            --most_chunks;
            found = counts.get(number);
        }
        complete = complete && found;
        if (found)
            out.add(buckets.of(to), *found);
    }
    std::vector<std::vector<ChangeCounts::Part>> parts(anew.size());
    in_parallel(anew.size(), [&](size_t i) { parts[i] = counts.parts(anew[i], buckets.bounds()); });
    for (const auto &of_chunk : parts)
        for (const ChangeCounts::Part &part : of_chunk)
            out.add(part.bucket, part.counts);
    return complete;
}

} // namespace

Bands bands_of(const Store &store, ChangeCounts &counts, uint64_t first, uint64_t last,
               size_t buckets, size_t most_chunks) {
    const Buckets cut(bounds_of(store, first, last, std::max<size_t>(buckets, 1)));
    const AllLives lives = lives_of(store, cut);
    Changes changes(cut.size());
    Bands bands;
    bands.complete = add_changes(store, counts, cut, most_chunks, changes);
    const Tables &tables = store.tables();
    auto add = [&](const char *name, TableData table) {
        bands.tables.emplace_back(name, std::move(table));
    };
    add("buckets", buckets_table(cut, lives.all));
    add("by_type", lives_table(lives.types, {"type", text}, [&](Column &out, uint64_t type) {
            out.string_or_null(tables.types[type].name);
        }));
    add("by_site", lives_table(lives.sites, {"site", number},
                               [](Column &out, uint64_t site) { out.id(site); }));
    add("by_thread", changes.by_thread());
    add("by_statement", changes.by_statement());
    add("statements", changes.statements());
    return bands;
}

} // namespace heapstory
