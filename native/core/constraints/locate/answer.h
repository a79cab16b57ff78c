// The engine's answers, in terms of the trace: nodes and offsets, not objects and cells.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/hypotheses/decisive.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace heapstory::constraints {

using ObjectPlace = std::pair<uint64_t, int64_t>; // node, offset of its base

struct FieldPlace {
    uint64_t node;
    int64_t base;
    uint32_t type, cell; // the cell is counted from the object's first
};

struct FoundInconsistency {
    uint32_t constraint;
    // What the FORALL variables are bound to, then the numbers of the loops.
    std::vector<std::variant<ObjectPlace, int64_t>> binding;
};

struct Contribution {
    uint64_t time; // of the operation
    Fault::Relation relation;
    std::vector<FoundInconsistency> contributed_to;
};

struct DecisiveOperation {
    uint64_t time;
    Grade grade;
    std::optional<FieldPlace> field; // that should hold something else, if it is one
    bool wild;                       // it holds a dangling or wild pointer
};

struct WildPointer {
    uint64_t time; // of the operation that stored it
    FoundInconsistency inconsistency;
};

struct LocateAnswer {
    std::optional<size_t> bad;   // C-point
    std::optional<size_t> clean; // the last one before it at which all was well
    // The first bad one: not `bad` where the same operation left something unusual before.
    std::optional<size_t> ended;
    bool exact = true; // every C-point was looked at for every constraint
    uint64_t evaluations = 0;
    std::vector<FoundInconsistency> inconsistencies;
    size_t traced = 0; // how many of them were traced back: of very many, some of each constraint
    size_t operations = 0; // that contributed; of very many only the first are in `faults`
    std::vector<Contribution> faults;
    std::vector<DecisiveOperation> decisive; // by time
    std::vector<WildPointer> wild;           // by time
    double check_seconds = 0, locate_seconds = 0;
};

struct Counts {
    size_t objects, cells, versions;
    std::vector<size_t> by_type; // objects of each type of the plan
};

struct HeldValue {
    uint64_t value;
    std::optional<uint64_t> node, offset; // that a pointer means
    bool stale;                           // the node was freed by then
};

enum class OperationKind : uint8_t { store, birth, death };

// What one change did to one field, or to one node.
struct Operation {
    uint64_t time;
    OperationKind kind;
    ObjectPlace object;
    uint32_t type;
    uint32_t stack = 0;                     // birth and death
    uint32_t cell = 0, site = 0;            // store
    std::optional<HeldValue> before, after; // store; none: never written
};

} // namespace heapstory::constraints
