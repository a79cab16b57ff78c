// The edges of a graph as text for machines: the members of the list `edges` of `graph --json`.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/graph.h"

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace heapstory {

// What others know how to say, as JSON. Each is asked for once.
struct EdgeWords {
    std::function<std::string(uint32_t site)> place;
    std::function<std::string(TypeId type, uint64_t size, uint64_t offset)> field;
};

class EdgeText {
  public:
    // `selected`: only the edges of these nodes. The graph must outlive the text.
    EdgeText(const Graph &graph, bool data, std::optional<std::vector<uint64_t>> selected,
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
    bool is_wanted(uint64_t node) const {
        return !selected_ || (node < selected_->size() && (*selected_)[node]);
    }
    const std::string &place(uint32_t site);
    const std::string &field(uint64_t source, uint64_t offset);
    void add(const Batch &batch, size_t row, std::string &out);

    const Graph &graph_;
    Batches edges_;
    std::optional<std::vector<bool>> selected_; // by node
    EdgeWords words_;
    std::vector<std::string> places_; // by site
    std::unordered_map<Field, std::string, Hash> fields_;
    size_t node_ = 0; // place of the last edge's source
    size_t batch_ = 0, row_ = 0;
    bool any_ = false;
};

} // namespace heapstory
