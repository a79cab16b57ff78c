// A compiled specification, bound to a trace: what the engine evaluates.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// The words are in vocabulary.h. What the members mean is explained where plans are made, in
// src/heapstory/constraints/plan/definition.py; those that the engine reads are listed here, by
// `for_each_member`, under the names that they have there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heapstory::constraints {

#define HEAPSTORY_WORD(name, python) name,

enum class FieldKind : uint8_t {
#define HEAPSTORY_KIND HEAPSTORY_WORD
#include "constraints/plan/vocabulary.h"
};

enum class Op : uint8_t {
#define HEAPSTORY_ATOM HEAPSTORY_WORD
#define HEAPSTORY_OP HEAPSTORY_WORD
#include "constraints/plan/vocabulary.h"
};

enum class BinderKind : uint8_t {
#define HEAPSTORY_BINDER HEAPSTORY_WORD
#include "constraints/plan/vocabulary.h"
};

enum class Quantifier : uint8_t {
#define HEAPSTORY_QUANTIFIER HEAPSTORY_WORD
#include "constraints/plan/vocabulary.h"
};

enum class ShapeKind : uint8_t {
#define HEAPSTORY_SHAPE HEAPSTORY_WORD
#include "constraints/plan/vocabulary.h"
};

#undef HEAPSTORY_WORD

constexpr bool is_atom(Op op) {
    return op <= Op::exists;
}

constexpr uint32_t none = ~uint32_t(0);
__extension__ using Integer = __int128;

struct PlanField {
    uint64_t offset = 0, size = 8;
    FieldKind kind = FieldKind::integer;
    uint8_t bit_offset = 0, bit_size = 0;

    bool is_pointer() const { return kind == FieldKind::pointer || kind == FieldKind::word; }
    template <class Visit> void for_each_member(Visit visit) {
        visit("offset", offset);
        visit("size", size);
        visit("kind", kind);
        visit("bit_offset", bit_offset);
        visit("bit_size", bit_size);
    }
};

struct PlanRun {
    PlanField field;
    uint64_t stride = 8;
    std::optional<uint64_t> count;

    template <class Visit> void for_each_member(Visit visit) {
        visit("field", field);
        visit("stride", stride);
        visit("count", count);
    }
};

struct PlanMember { // exactly one of the first three
    std::optional<uint32_t> type_id;
    std::vector<uint32_t> stacks;
    std::optional<uint64_t> node;
    bool is_kept = false;
    int64_t base = 0; // below 0: what lies before the node is not read
    std::optional<uint64_t> stride, count;

    template <class Visit> void for_each_member(Visit visit) {
        visit("type_id", type_id);
        visit("stacks", stacks);
        visit("node", node);
        visit("is_kept", is_kept);
        visit("base", base);
        visit("stride", stride);
        visit("count", count);
    }
};

// A pointer field or run of a type, or one element of a run. With `via`, only in objects that an
// edge of that set leads to.
struct EdgeRef {
    uint32_t type = none, field = none, run = none, element = none, via = none;

    template <class Visit> void for_each_member(Visit visit) {
        visit("type", type);
        visit("field", field);
        visit("run", run);
        visit("element", element);
        visit("via", via);
    }
};

struct PlanType {
    std::string name;
    uint64_t size = 0;
    std::vector<PlanMember> members;
    std::vector<PlanField> fields;
    std::vector<PlanRun> runs;
    std::vector<EdgeRef> roots;
    bool implied = false; // pointers to its objects are no edges of set 0

    template <class Visit> void for_each_member(Visit visit) {
        visit("name", name);
        visit("size", size);
        visit("members", members);
        visit("fields", fields);
        visit("runs", runs);
        visit("roots", roots);
        visit("implied", implied);
    }
};

struct Number {
    Integer integer = 0;
    double real = 0;
    bool is_real = false;
};

struct Expr;

struct Binder {
    BinderKind kind = BinderKind::all;
    std::shared_ptr<const Expr> of;
    uint32_t edges = 0;

    template <class Visit> void for_each_member(Visit visit) {
        visit("kind", kind);
        visit("of", of);
        visit("edges", edges);
    }
};

struct Expr {
    Op op = Op::true_;
    std::vector<Expr> args;
    uint32_t index = 0, type = none, edges = 0;
    Number number;
    std::string text;
    Binder binder;

    template <class Visit> void for_each_member(Visit visit) {
        visit("op", op);
        visit("args", args);
        visit("index", index);
        visit("type", type);
        visit("edges", edges);
        visit("number", number);
        visit("text", text);
        visit("binder", binder);
    }
};

struct PlanAttribute {
    uint32_t type = 0;
    Expr value;
    uint32_t edges = none; // none: it does not recurse
    std::optional<Number> null;
    std::optional<Expr> stop; // where it is TRUE, `value` does not recurse

    template <class Visit> void for_each_member(Visit visit) {
        visit("type", type);
        visit("value", value);
        visit("edges", edges);
        visit("null", null);
        visit("stop", stop);
    }
};

struct PlanVariable {
    uint32_t type = 0;
    Quantifier quantifier = Quantifier::forall;
    Binder binder;

    template <class Visit> void for_each_member(Visit visit) {
        visit("type", type);
        visit("quantifier", quantifier);
        visit("binder", binder);
    }
};

struct PlanLoop {
    Expr first, last;

    template <class Visit> void for_each_member(Visit visit) {
        visit("first", first);
        visit("last", last);
    }
};

struct Shape {
    ShapeKind kind = ShapeKind::nested;
    uint32_t edges = 0;
    std::optional<Expr> filter;
    std::vector<Expr> keys;

    template <class Visit> void for_each_member(Visit visit) {
        visit("kind", kind);
        visit("edges", edges);
        visit("filter", filter);
        visit("keys", keys);
    }
};

struct PlanConstraint {
    std::vector<PlanVariable> variables; // FORALL first
    std::vector<PlanLoop> loops;
    std::optional<Expr> guard;
    Expr body;
    Shape shape;

    size_t universal() const {
        size_t count = 0;
        while (count < variables.size() && variables[count].quantifier == Quantifier::forall)
            ++count;
        return count;
    }
    template <class Visit> void for_each_member(Visit visit) {
        visit("variables", variables);
        visit("loops", loops);
        visit("guard", guard);
        visit("body", body);
        visit("shape", shape);
    }
};

struct Plan {
    std::vector<PlanType> types;
    std::vector<std::vector<EdgeRef>> edge_sets;
    std::vector<PlanAttribute> attributes;
    std::vector<PlanConstraint> constraints;

    template <class Visit> void for_each_member(Visit visit) {
        visit("types", types);
        visit("edge_sets", edge_sets);
        visit("attributes", attributes);
        visit("constraints", constraints);
    }

    // Set by `complete`.
    std::vector<uint32_t> root_sets; // by type: edge set of its roots, none if it has no roots
};

// Gives the roots of every type an edge set, and sees to it that fields wider than any number are
// never read as one.
void complete(Plan &plan);
// Every expression of a constraint, those within others too.
void for_each_expr(const PlanConstraint &constraint,
                   const std::function<void(const Expr &)> &visit);
// Whether anything in a plan is of this kind.
bool has(const Plan &plan, Op op);

} // namespace heapstory::constraints
