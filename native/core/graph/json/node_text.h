// The nodes of a graph as text for machines: the members of the list `nodes` of `graph --json`.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/json/text.h"
#include "graph/tables/nodes_table.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heapstory {

// What others know how to say, as JSON. Numbers are asked for once.
struct NodeWords {
    std::function<std::string(uint32_t stack)> place; // the statement that a stack begins with
    std::function<std::string(uint32_t type)> type;
    std::function<std::string(std::string_view text)> text;
};

class NodeText {
  public:
    // `selected`: only these nodes. Rows are those of nodes_of.
    NodeText(Batches rows, const std::optional<std::vector<uint64_t>> &selected, NodeWords words);

    // The next few thousand nodes in order of birth, with commas between all of them; empty at the
    // end.
    std::string next();

  private:
    struct Row {
        uint64_t id;
        uint32_t batch, row;
    };
    void add(const Batch &batch, size_t row, std::string &out);

    Batches rows_;
    Values<Row> order_;
    Sayings<std::function<std::string(uint32_t)>> place_, type_;
    std::function<std::string(std::string_view)> text_;
    size_t next_ = 0;
};

} // namespace heapstory
