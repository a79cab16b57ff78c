// A compiled specification, bound to a trace: what the engine evaluates. The same as the Plan of
// src/heapstory/constraints/plan/definition.py, where every member and operator is explained.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heapstory::constraints {

enum class FieldKind : uint8_t { integer, natural, real, pointer, chars, word };

struct PlanField {
    uint64_t offset = 0, size = 8;
    FieldKind kind = FieldKind::integer;
    uint8_t bit_offset = 0, bit_size = 0;

    bool is_pointer() const { return kind == FieldKind::pointer || kind == FieldKind::word; }
};

struct PlanRun {
    PlanField field;
    uint64_t stride = 8;
    std::optional<uint64_t> count;
};

struct PlanMember { // exactly one of the first three
    std::optional<uint32_t> type_id;
    std::vector<uint32_t> stacks;
    std::optional<uint64_t> node;
    uint64_t base = 0;
    std::optional<uint64_t> stride;
};

constexpr uint32_t none = ~uint32_t(0);
__extension__ using Integer = __int128;

// A pointer field or run of a type.
struct EdgeRef {
    uint32_t type = none, field = none, run = none;
};

struct PlanType {
    std::string name;
    uint64_t size = 0;
    std::vector<PlanMember> members;
    std::vector<PlanField> fields;
    std::vector<PlanRun> runs;
    std::vector<EdgeRef> roots;
    bool implied = false; // pointers to its objects are no edges of set 0
};

enum class Op : uint8_t {
    // Atoms.
    field,
    index,
    string,
    attribute,
    indegree,
    outdegree,
    external,
    internal,
    isroot,
    isleaf,
    edge,
    path,
    rooted,
    safe,
    written,
    references,
    aggregate,
    exists,
    // Not atoms.
    variable,
    number,
    text,
    null,
    true_,
    false_,
    add,
    sub,
    mul,
    div,
    mod,
    bitand_,
    neg,
    abs,
    min,
    max,
    least,
    greatest,
    extent,
    length,
    hash,
    eq,
    ne,
    lt,
    le,
    gt,
    ge,
    and_,
    or_,
    not_,
    if_
};
constexpr bool is_atom(Op op) {
    return op <= Op::exists;
}

enum class BinderKind : uint8_t { all, value, out, in, reached, reaching };

struct Expr;

struct Binder {
    BinderKind kind = BinderKind::all;
    std::shared_ptr<const Expr> of;
    uint32_t edges = 0;
};

struct Expr {
    Op op = Op::true_;
    std::vector<Expr> args;
    uint32_t index = 0, type = none, edges = 0;
    Integer integer = 0;
    double real = 0;
    bool is_real = false;
    std::string text;
    Binder binder;
};

struct PlanAttribute {
    uint32_t type = 0;
    Expr value;
    uint32_t edges = none;    // none: it does not recurse
    std::optional<Expr> null; // a number
};

struct PlanVariable {
    uint32_t type = 0;
    bool exists = false;
    Binder binder;
};

struct PlanLoop {
    Expr first, last;
};

enum class ShapeKind : uint8_t { nested, acyclic, connected, unique, rooted };

struct Shape {
    ShapeKind kind = ShapeKind::nested;
    uint32_t edges = 0;
    std::optional<Expr> filter;
    std::vector<Expr> keys;
};

struct PlanConstraint {
    std::string name;
    std::vector<PlanVariable> variables; // FORALL first
    std::vector<PlanLoop> loops;
    std::optional<Expr> guard;
    Expr body;
    Shape shape;

    size_t universal() const {
        size_t count = 0;
        while (count < variables.size() && !variables[count].exists)
            ++count;
        return count;
    }
};

struct Plan {
    std::vector<PlanType> types;
    std::vector<std::vector<EdgeRef>> edge_sets;
    std::vector<PlanAttribute> attributes;
    std::vector<PlanConstraint> constraints;

    // Set by `complete`.
    std::vector<uint32_t> root_sets; // by type: edge set of its roots, none if it has no roots
};

// Gives the roots of every type an edge set.
void complete(Plan &plan);
// Every expression of a constraint, those within others too.
void for_each_expr(const PlanConstraint &constraint,
                   const std::function<void(const Expr &)> &visit);
// Whether anything in a plan is of this kind.
bool has(const Plan &plan, Op op);

} // namespace heapstory::constraints
