// A trace and its graphs as Python sees them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/bands/change_counts.h"
#include "graph/history/pointer_index.h"
#include "graph/moment/graph.h"
#include "graph/nodes/clusters.h"
#include "graph/nodes/roots.h"
#include "graph/window/beginning.h"
#include "store/on_demand.h"
#include "table.h"

#include <memory>
#include <optional>
#include <string>

namespace heapstory {

// What all answers are made from.
struct Sources {
    std::shared_ptr<const Store> store;
    std::shared_ptr<const Pointers> pointers;
    std::shared_ptr<const Labels> labels;
    std::shared_ptr<OnDemand<Clusters>> followed;
    std::shared_ptr<OnDemand<PointerIndex>> indexed;
    std::shared_ptr<ChangeCounts> counted;
    std::shared_ptr<Beginnings> beginnings;
    std::shared_ptr<OnDemand<TableData>> nodes; // the table: types that pointers tell take long

    const Clusters &clusters() const {
        return followed->get(
            [this] { return Clusters(store->discovered().lists(), store->nodes()); });
    }
    const PointerIndex &pointer_index() const {
        return indexed->get([this] { return PointerIndex(*store, *pointers); });
    }
};

class GraphView {
  public:
    GraphView(const Sources &from, uint64_t at, bool freed)
        : from_(from), graph_(*from.store, *from.pointers, at, freed) {}

    uint64_t at() const { return graph_.at(); }
    Batches node_rows() const;
    Table nodes() const;
    Table edges(bool data) const;
    Table clusters() const;
    Table merges() const;
    Table reach(const std::vector<uint64_t> &ignored, bool parts,
                const std::vector<uint64_t> &hidden) const;
    const Graph &graph() const { return graph_; }

  private:
    Sources from_;
    Graph graph_;
};

void bind_graph(nanobind::module_ &module);
std::string node_json(Batch row, nanobind::callable place, nanobind::callable type,
                      nanobind::callable text);

class Trace {
  public:
    explicit Trace(const std::string &path, bool salvage = false);
    void close() { from_ = {}; }

    uint64_t timestamps() const { return store().totals().changes; }
    bool complete() const { return store().file().closed(); }
    std::optional<std::string> damage() const { return store().damage(); }
    nanobind::dict summary() const;

    std::unique_ptr<GraphView> graph(uint64_t at, bool freed) const;
    nanobind::object node(uint64_t id) const;
    std::string node_json(uint64_t id, nanobind::callable place, nanobind::callable type,
                          nanobind::callable text) const;
    std::optional<uint64_t> node_at(uint64_t address, uint64_t at) const;
    nanobind::object value(uint64_t address, uint64_t size, uint64_t at) const;
    nanobind::object last_silent(uint64_t address, uint64_t since, uint64_t until) const;
    Table fields(uint64_t node, uint64_t at) const;
    Table incoming(uint64_t node, uint64_t at) const;
    Table edges_to(uint64_t node, uint64_t at) const;
    Table pointing(uint64_t node, uint64_t first, uint64_t last) const;
    Table history(uint64_t address, uint64_t size, uint64_t first, uint64_t last) const;
    Table table(const std::string &name) const;
    Table pointers_into(std::vector<std::pair<uint64_t, uint64_t>> ranges) const;
    Table found(const std::string &name) const;
    // FormatError once the trace has been closed.
    const Store &store() const;
    const Sources &sources() const { return store(), from_; }
    ChangeCounts &change_counts() const { return store(), *from_.counted; }
    void check(uint64_t node) const; // IndexError if there is none
    std::shared_ptr<const Store> shared_store() const { return store(), from_.store; }

  private:
    std::string path_;
    Sources from_;
};

void bind_trace(nanobind::module_ &module);

} // namespace heapstory
