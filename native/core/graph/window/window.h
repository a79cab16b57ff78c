// All of some nodes over a stretch of time, as columns to be searched. The tables are described in
// docs/internals/view.md.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/nodes/clusters.h"
#include "graph/nodes/graph_node.h"
#include "graph/nodes/roots.h"
#include "graph/window/beginning.h"
#include "graph/window/records.h"
#include "store/table.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace heapstory {

struct WindowQuery {
    uint64_t first = 0, last = 0; // timestamps
    enum class Which { all, these, around } which = Which::all;
    std::vector<uint64_t> nodes;           // these; around: where to start
    uint64_t depth = never, limit = never; // around: how far, and how many nodes
    uint64_t at = never;                   // around: what stands at this moment comes first
    // around: how many nodes to go to from one. Of one that leads to more, the first words are
    // kept, and those that lead to nodes of the window.
    uint64_t fan = never;
    std::unordered_map<uint64_t, uint64_t> opened; // of these nodes so many more
    // Words (address / 8) that are kept whatever they hold, by node.
    std::unordered_map<uint64_t, std::unordered_set<uint64_t>> wanted;
    RecordLimits limits;
    bool fields = true; // false: who the nodes are, and nothing of what they held
};

class Window {
  public:
    Window(const Store &store, const Pointers &pointers, Beginnings &beginnings, WindowQuery query);

    struct Tables {
        Batch nodes, node_fields, fields, field_versions, versions;
    };
    Tables tables(const Labels &labels) const;
    static const std::vector<ColumnSpec> &node_columns();
    static const std::vector<ColumnSpec> &list_columns(); // node_fields, field_versions
    static const std::vector<ColumnSpec> &field_columns();
    static const std::vector<ColumnSpec> &version_columns();
    // Mode internals: which cluster nodes belong to from when on; merge edges between nodes of the
    // window; sizes of nodes that parts were split off.
    TableData clusters(const Clusters &clusters) const;
    TableData merges(const Clusters &clusters) const;
    TableData extents() const;
    // What differs between the first and the last timestamp.
    TableData differences() const;
    // All sites that its tables name.
    std::vector<uint32_t> sites() const;

    uint64_t size() const { return rows_.size(); }
    uint64_t versions() const;
    // The data of modules has words that nobody asks for.
    uint64_t heap_words_left_out() const;
    // Type and size of nodes, by number in the column `shape`.
    const std::vector<std::pair<TypeId, uint64_t>> &shapes() const { return shapes_; }

  private:
    // Nodes that were read together.
    struct Group {
        std::vector<NodeMemory> nodes; // by address
        std::vector<Records> parts;
    };
    // Where to find a node's fields.
    struct Row {
        uint64_t id = 0;
        uint32_t group = 0, index = 0, part = 0;
        uint64_t first = 0, end = 0; // fields
        uint64_t distance = never;
        uint64_t left_out = 0; // words
        uint64_t more = 0;     // nodes it leads to that are not in the window
        uint32_t shape = 0;    // 1 + number
        TypeId type = no_type;
    };
    bool lived(const NodeRow &row) const {
        return row.birth <= last_events_ && row.death > first_events_;
    }
    // Which pointers to follow: those of the moment that comes first, or all of the window.
    enum class Followed : bool { now, ever };
    using Found = std::pair<uint64_t, uint64_t>; // a node and its distance
    const NodeMemory &memory(const Row &row) const { return groups_[row.group].nodes[row.index]; }
    const Records &records(const Row &row) const { return groups_[row.group].parts[row.part]; }
    const Row *find(uint64_t id) const;

    std::vector<NodeMemory> chosen() const;
    void expect(Beginnings &beginnings, uint64_t nodes);
    void follow();
    void walk(Followed followed, uint64_t limit);
    std::vector<NodeMemory> next(const std::vector<Found> &front, uint64_t limit);
    bool is_start(const NodeRow &row, Followed followed) const;
    void add_targets(size_t first_row, Followed followed, std::vector<Found> &out) const;
    void add_targets_of(const Row &row, Followed followed, std::vector<Found> &out) const;
    bool stands(const Records &found, const FieldRecord &field, uint64_t version) const;
    void fold();
    uint64_t more_of(const Row &row) const;
    bool is_kept(const Row &row, const FieldRecord &field, uint64_t &broken) const;
    bool is_wanted(uint64_t id, const NodeRow &row, uint64_t word) const;
    uint64_t opened(uint64_t id) const;
    void read(std::vector<NodeMemory> nodes);
    void read_fields(Group &group, const std::vector<WordHistories::Piece> &pieces,
                     std::vector<uint64_t> &left_out);
    void find_types();
    void add_node(Batch &out, const Row &row, const Labels &labels) const;

    const Store &store_;
    const Pointers &pointers_;
    WindowQuery query_;
    uint64_t first_events_, last_events_, at_events_;
    std::unordered_map<uint64_t, uint64_t> distances_; // around: of the nodes so far
    std::unique_ptr<WordHistories> histories_;
    std::unique_ptr<Meanings> meanings_;
    bool has_lives_ = false; // meanings_ was made for much
    std::vector<Group> groups_;
    std::vector<Row> rows_;                         // by id, once all is read
    std::unordered_map<uint64_t, uint32_t> row_of_; // by id
    std::vector<std::pair<TypeId, uint64_t>> shapes_;
};

} // namespace heapstory
