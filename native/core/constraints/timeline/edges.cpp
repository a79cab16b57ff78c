// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/timeline/edges.h"

namespace heapstory::constraints {

void IncomingIndex::arrange() {
    ends.resize(edges.size());
    for (size_t object = 0; object + 1 < first.size(); ++object) {
        auto begin = edges.begin() + std::ptrdiff_t(first[object]);
        auto end = edges.begin() + std::ptrdiff_t(first[object + 1]);
        std::sort(begin, end, [](const Incoming &a, const Incoming &b) {
            return a.since != b.since ? a.since < b.since : a.cell < b.cell;
        });
        for (auto at = begin; at != end; ++at)
            ends[size_t(at - edges.begin())] = at->until;
        std::sort(ends.begin() + std::ptrdiff_t(first[object]),
                  ends.begin() + std::ptrdiff_t(first[object + 1]));
    }
}

uint64_t IncomingIndex::count(Object object, uint64_t time, Span &span) const {
    auto begun = of(object);
    auto after = std::partition_point(begun.begin(), begun.end(),
                                      [&](const Incoming &e) { return e.since <= time; });
    const uint64_t *low = ends.data() + first[object], *high = ends.data() + first[object + 1];
    const uint64_t *over = std::upper_bound(low, high, time);
    if (after != begun.begin())
        span.narrow(after[-1].since, forever);
    if (after != begun.end())
        span.narrow(0, after->since);
    if (over != low)
        span.narrow(over[-1], forever);
    if (over != high)
        span.narrow(0, *over);
    return uint64_t(after - begun.begin()) - uint64_t(over - low);
}

Edges::Edges(const Timeline &line, const Plan &plan) : line_(line) {
    for (const PlanType &type : plan.types)
        layouts_.emplace_back(type);
    if (std::any_of(plan.types.begin(), plan.types.end(),
                    [](const PlanType &type) { return type.implied; })) {
        undeclared_.assign(line.objects(), 1);
        for (Object object = 0; object < line.objects(); ++object)
            if (!plan.types[line.type[object]].implied)
                undeclared_[line.head(object)] = 0;
    }
    groups_.resize(plan.edge_sets.size());
    incoming_.resize(plan.edge_sets.size());
    for (size_t set = 0; set < plan.edge_sets.size(); ++set)
        made_.emplace_back();
    changes_.resize(plan.edge_sets.size());
    vias_.resize(plan.edge_sets.size());
    for (size_t set = 0; set < plan.edge_sets.size(); ++set) {
        groups_[set].resize(plan.types.size());
        for (const EdgeRef &edge : plan.edge_sets[set]) {
            groups_[set][edge.type].push_back(group_of(edge));
            if (edge.via != none)
                vias_[set].push_back(edge.via);
        }
    }
}

Edges::Group Edges::group_of(const EdgeRef &edge) const {
    const Layout &layout = layouts_[edge.type];
    if (edge.run == none)
        return {layout.type().fields[edge.field].offset, edge.field, none, none, edge.via};
    return {layout.type().runs[edge.run].field.offset, layout.run_start(edge.run), edge.run,
            edge.element, edge.via};
}

const Changes &Edges::changes(uint32_t set) const {
    if (!changes_[set]) {
        std::vector<Changes::Change> all;
        for (Object object = 0; object < line_.objects(); ++object)
            if (in_set(set, line_.type[object]))
                cells(object, set, [&](uint32_t cell) {
                    for (const Version &version : line_.cell(cell))
                        all.push_back({version.since, cell});
                });
        changes_[set] = std::make_unique<Changes>(all);
    }
    return *changes_[set];
}

const Changes &Edges::lives() const {
    if (!lives_) {
        std::vector<Changes::Change> all;
        for (Object object = 0; object < line_.objects(); ++object) {
            all.push_back({line_.birth[object], object});
            if (line_.death[object] != forever)
                all.push_back({line_.death[object], object});
        }
        lives_ = std::make_unique<Changes>(all);
    }
    return *lives_;
}

std::unique_ptr<IncomingIndex> Edges::make_incoming(uint32_t set) const {
    auto index = std::make_unique<IncomingIndex>();
    auto add_cell = [&](Object object, const Group &group, uint32_t cell, auto visit) {
        auto versions = line_.cell(cell);
        for (size_t i = 0; i < versions.size(); ++i) {
            Object target = versions[i].target;
            if (target >= line_.objects() || !counts(set, target))
                continue;
            uint64_t until = i + 1 < versions.size() ? versions[i + 1].since : forever;
            until = std::min({until, line_.death[object], line_.death[target]});
            if (group.via == none) {
                if (versions[i].since < until)
                    visit(target, Incoming{versions[i].since, until, object, cell});
                continue;
            }
            for (const Incoming &held : incoming(group.via).of(line_.head(object))) {
                uint64_t from = std::max(versions[i].since, held.since);
                uint64_t to = std::min(until, held.until);
                if (from < to)
                    visit(target, Incoming{from, to, object, cell});
            }
        }
    };
    auto for_each = [&](auto visit) {
        for (Object object = 0; object < line_.objects(); ++object)
            for (const Group &group : groups_[set][line_.type[object]]) {
                auto add = [&](uint32_t cell) { add_cell(object, group, cell, visit); };
                cells_of_group(object, group, add);
            }
    };
    index->first.assign(line_.objects() + 1, 0);
    for_each([&](Object target, const Incoming &) { ++index->first[target + 1]; });
    for (size_t i = 1; i < index->first.size(); ++i)
        index->first[i] += index->first[i - 1];
    index->edges.resize(index->first.back());
    std::vector<uint64_t> next(index->first.begin(), index->first.end() - 1);
    for_each([&](Object target, Incoming edge) {
        edge.source = line_.head(edge.source);
        index->edges[next[target]++] = edge;
    });
    index->arrange();
    return index;
}

} // namespace heapstory::constraints
