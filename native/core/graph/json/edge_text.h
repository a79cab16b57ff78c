// The edges of a graph as text for machines: the members of the list `edges` of `graph --json`.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/json/text.h"
#include "graph/moment/graph.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heapstory {

// What others know how to say, as JSON. Each is asked for once.
struct EdgeWords {
    std::function<std::string(uint32_t site)> place;
    std::function<std::string(TypeId type, uint64_t size, uint64_t offset)> field;
};

// One edge, whoever found it: a version that was overwritten is not `current`.
struct EdgeMembers {
    uint64_t source, offset, value;
    uint64_t target, target_offset; // target 0: it leads to no node
    uint64_t timestamp;
    uint32_t size;
    std::string_view place, field; // as JSON
    std::string_view state;
    bool current = true;
};
void add_edge(std::string &out, const EdgeMembers &edge);

class EdgeText {
  public:
    // `selected`: only the edges of these nodes. The graph must outlive the text.
    EdgeText(const Graph &graph, bool data, const std::optional<std::vector<uint64_t>> &selected,
             EdgeWords words);

    // The next few thousand edges, with commas between all of them; empty at the end.
    std::string next();

  private:
    struct Field {
        uint64_t type, size, offset;
        bool operator==(const Field &) const = default;
    };
    struct Hash {
        size_t operator()(const Field &field) const {
            return (field.type * 0x9e3779b97f4a7c15 ^ field.size) * 0x9e3779b97f4a7c15 ^
                   field.offset;
        }
    };
    const std::string &field(uint64_t source, uint64_t offset);
    void add(const Batch &batch, size_t row, std::string &out);

    const Graph &graph_;
    Batches edges_;
    Selection selected_;
    Sayings<std::function<std::string(uint32_t)>> place_;
    std::function<std::string(TypeId, uint64_t, uint64_t)> say_field_;
    std::unordered_map<Field, std::string, Hash> fields_;
    size_t node_ = 0; // place of the last edge's source
    size_t batch_ = 0, row_ = 0;
    bool any_ = false;
};

} // namespace heapstory
