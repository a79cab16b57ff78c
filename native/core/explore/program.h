// A specification as a small typed program, and its reader.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heapstory::explore {

using Words = std::vector<int32_t>;

// A stack machine. Each instruction is two words, the second 0 where it takes none; `none` takes
// two more words: the slot of its node, and how many words of conditions follow.
enum class Code : int32_t {
    constant,
    own_id,
    local,
    global,
    field,
    index,
    add,
    subtract,
    set_local,
    set_global,
    set_field, // value, node
    set_index, // value, index
    allocate,  // the struct's number
    release,
    drop,
    test,   // the comparison
    answer, // how many values
    none,   // the struct's number
};
enum class Compare : int32_t { equal, unequal, less, less_equal, greater, greater_equal };

struct Field {
    bool pointer;
    bool settled; // no operation writes it in a node that others can reach
};

struct Scalar {
    bool pointer;
    bool settled;   // no operation writes it
    int32_t object; // the struct of the one object it stands for, or -1
    int32_t initial;
};

struct Pick {
    int32_t local, structure;
};

struct Step {
    bool loop;
    bool open;      // touches shared state in any case, so it is never silent
    int32_t reuses; // the struct of its first allocation, or -1
    std::vector<Pick> picks;
    Words code;
};

struct Operation {
    int32_t method;                      // -1: it only helps
    std::vector<bool> opaque;            // by parameter: a value that is only moved
    std::vector<bool> pointer;           // by local, parameters first
    std::vector<std::vector<bool>> live; // by step: the locals still needed there
    std::vector<Step> steps;
};

// What a field of new memory holds where memory is not cleared.
constexpr int32_t unset = INT32_MIN;

struct Program {
    bool reuse = false;
    bool cleared = true;
    std::vector<std::vector<Field>> structs;
    std::vector<Scalar> scalars;
    std::vector<bool> arrays; // whether they hold nodes
    int32_t init_locals = 0;
    Words init;
    std::vector<Operation> operations;
    size_t most_locals = 0;

    // Throws std::invalid_argument where the words are not a program.
    static Program read(const Words &words);
};

} // namespace heapstory::explore
