// Evaluates expressions as of a moment; every answer comes with the time over which it holds.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// `span` gathers, from one call of `begin` to the next, the time over which nothing that was read
// changes.
#pragma once

#include "constraints/evaluate/family.h"
#include "constraints/evaluate/inconsistency.h"
#include "constraints/evaluate/running_total.h"
#include "constraints/evaluate/value.h"
#include "constraints/timeline/edges.h"
#include "constraints/timeline/marks.h"
#include "constraints/timeline/texts.h"

#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace heapstory::constraints {

// The object an operand means.
struct Operand {
    enum class Kind : uint8_t { object, null, other, unknown } kind = Kind::unknown;
    Object head = no_object;
};

class Evaluator {
  public:
    Evaluator(const Timeline &line, const Plan &plan, const Edges &edges, const Texts *texts);

    uint64_t time = 0;
    Span span;
    std::vector<Bound> bound;
    // Whether degrees count only the edges of objects that roots lead to. Attributes, counts and
    // sums, which are kept, always count all.
    bool rooted_edges = false;

    void begin(uint64_t at) {
        time = at;
        span = Span();
    }
    Value evaluate(const Expr &e);
    Truth truth(const Expr &e);

    // The cell that a `field` or `index` reads, none if there is none.
    uint32_t cell(const Expr &e);

    // Calls visit(object of the type) for the candidates of a variable until it returns false.
    template <class Visit> void candidates(const Binder &binder, uint32_t type, Visit visit);
    // Narrows the span to the time over which the live objects of a type stay the same.
    void narrow_to_population(uint32_t type);

    // Objects that can be reached over a set from the heads in `found`, which is added to.
    void reach(std::vector<Object> &found, uint32_t set);
    // The same against the direction of the edges.
    void reach_back(std::vector<Object> &found, uint32_t set);
    bool path(Object from, Object to, uint32_t set);
    bool rooted(Object head, uint32_t type);
    // The same for the type of the object that has roots; unknown if none has.
    Truth rooted(Object head);
    // Which root an object of a type belongs to; one number for those that belong to none.
    uint32_t instance(Object object, uint32_t type);

    // Computes attributes of an object, and those that they are made of.
    void compute_below(Family &family, Family::Part part, Object object);
    // Computes all attributes of an object; those of the objects its edges lead to are known.
    void compute_next(Family &family, Object object);
    using Families = std::vector<std::shared_ptr<Family>>;
    // What is known of attributes. Two evaluators may share a family, as long as neither has to
    // compute anything of it that the other asks for.
    Families &families() { return families_; }
    uint32_t family_of(uint32_t attribute) const { return family_of_[attribute].first; }

    const Timeline &line() const { return line_; }
    const Plan &plan() const { return plan_; }
    const Edges &edges() const { return edges_; }
    Value pointer_to(Object head) const {
        return Value::pointer(PointerState::live, line_.address(head), line_.block[head]);
    }

  private:
    struct AllEdges { // while it exists, degrees count all edges
        explicit AllEdges(Evaluator &of) : of(of), before(std::exchange(of.rooted_edges, false)) {}
        AllEdges(const AllEdges &) = delete;
        AllEdges &operator=(const AllEdges &) = delete;
        ~AllEdges() { of.rooted_edges = before; }
        Evaluator &of;
        bool before;
    };
    struct Pending { // of an object whose attributes are being computed
        Object object;
        size_t first; // of what it needs, in needed_
        Span edges;   // over which its edges stay as they are
        bool cyclic = false;
    };
    struct Instances {            // of one type
        Object first = no_object; // of all that may hold roots, at any time
        Span span{1, 0};          // over which `of` holds
        std::vector<uint32_t> of; // by object
        uint64_t asked = forever; // the moment for which objects were asked for one by one
        size_t visited = 0;       // objects, to answer that
    };
    struct Step { // up from an object, along an edge
        Object object;
        size_t before;
        Span edge;
    };
    void find_instances(uint32_t type, Instances &known);
    uint32_t find_instance(Object head, uint32_t type, Instances &known);
    void narrow_to_way(const std::vector<Step> &steps, size_t last);
    Operand operand(const Expr &e);
    Operand operand_of(const Value &value) const;
    Operand operand_of_field(const Expr &e);
    Operand operand_of_cell(uint32_t cell); // a pointer
    Object facet(const Operand &operand, uint32_t type) const {
        return operand.kind == Operand::Kind::object ? line_.facet(operand.head, type) : no_object;
    }
    Value read(uint32_t cell, const PlanField &field);
    Value read_pointer(const Version &version, bool word);
    Value field(const Expr &e);
    Value index(const Expr &e);
    Value element(const Expr &e);
    Value extent(const Expr &e);
    Value degree(const Expr &e);
    uint64_t indegree(Object head, uint32_t set);
    Truth is_null(const Expr &e);
    Truth edge(const Expr &e);
    Truth path(const Expr &e);
    Truth rooted(const Expr &e);
    Truth safe(const Expr &e);
    Truth exists(const Expr &e);
    Value references(const Expr &e);
    Value aggregate(const Expr &e);
    Value gather(const Expr &e, Object start, size_t &gathered);
    using TotalKey = std::pair<const Expr *, uint64_t>; // the cell or object that it starts from
    std::optional<TotalKey> total_key(const Expr &e, Object start);
    RunningTotal *running_total(const Expr &e, const TotalKey &key);
    std::optional<Integer> added(const Expr &e, Object head, uint64_t at, Span &over);
    Value attribute(const Expr &e);
    Value attribute_of(uint32_t attribute, Object object);
    Truth circular(const Expr &e);
    // Whether the rule of a family's attributes does not recurse from an object, and how long.
    bool stops(const Family &family, Object object, Span &over);
    void make_families();
    void compute(Family &family, Family::Part part, Object object, const Span &edges);
    Pending open(const Family &family, Object object, Span &all);
    Value extreme(const Expr &e);
    Value text(const Expr &e);
    Value pooled(std::string text) {
        Value value;
        value.kind = ValueKind::text;
        value.text = &*texts_pool_.insert(std::move(text)).first;
        return value;
    }
    Bound &variable(uint32_t index) {
        if (index >= bound.size())
            bound.resize(index + 1);
        return bound[index];
    }

    const Timeline &line_;
    const Plan &plan_;
    const Edges &edges_;
    const Texts *texts_;
    Families families_;
    std::vector<std::pair<uint32_t, uint32_t>> family_of_; // by attribute: family, place in it
    std::vector<Bound> spare_; // bindings for the rule of an attribute, while none is computed
    std::vector<Instances> instances_;                         // by type
    std::vector<std::vector<uint64_t>> births_, deaths_;       // by type, ascending
    std::map<TotalKey, std::unique_ptr<RunningTotal>> totals_; // null: it was asked for once
    size_t kept_ = 0;                                          // members of totals_, about
    std::vector<Pending> stack_;
    std::vector<Object> needed_;
    Marks marks_;

    std::unordered_set<std::string> texts_pool_;
};

inline Operand Evaluator::operand(const Expr &e) {
    if (e.op == Op::variable && bound[e.index].object != no_object)
        return {Operand::Kind::object, line_.head(bound[e.index].object)};
    if (e.op == Op::field && plan_.types[e.type].fields[e.index].kind == FieldKind::pointer)
        return operand_of_field(e);
    if (e.op == Op::index && plan_.types[e.type].runs[e.index].field.kind == FieldKind::pointer)
        return operand_of_cell(cell(e));
    return operand_of(evaluate(e));
}

// As operand_of(field(e)), without a value in between.
inline Operand Evaluator::operand_of_field(const Expr &e) {
    Object object = facet(operand(e.args[0]), e.type);
    return operand_of_cell(object == no_object ? none : line_.first_cell[object] + e.index);
}

inline Operand Evaluator::operand_of_cell(uint32_t cell) {
    using Kind = Operand::Kind;
    const Version *version = cell == none ? nullptr : line_.at(cell, time, span);
    if (!version)
        return {};
    if (!version->value)
        return {Kind::null, no_object};
    if (version->target >= line_.objects())
        return operand_of(read_pointer(*version, false));
    uint64_t death = line_.death[version->target];
    if (time >= death) {
        span.narrow(death, forever);
        return {Kind::other, no_object};
    }
    span.narrow(0, death);
    return {Kind::object, version->target};
}

template <class Visit>
void Evaluator::candidates(const Binder &binder, uint32_t type, Visit visit) {
    if (binder.kind == BinderKind::all) {
        narrow_to_population(type);
        for (Object object : line_.by_type[type])
            if (line_.alive(object, time) && !visit(object))
                return;
        return;
    }
    Operand of = operand(*binder.of);
    if (of.kind != Operand::Kind::object)
        return;
    std::vector<Object> found;
    switch (binder.kind) {
    case BinderKind::value:
        found.push_back(of.head);
        break;
    case BinderKind::out:
        edges_.out(of.head, binder.edges, time, span, [&](Object target, uint32_t) {
            found.push_back(target);
            return true;
        });
        break;
    case BinderKind::in:
        edges_.incoming(binder.edges).count(of.head, time, span);
        for (const Incoming &edge : edges_.incoming(binder.edges).of(of.head))
            if (edge.since <= time && time < edge.until)
                found.push_back(edge.source);
        break;
    case BinderKind::reached:
        found.push_back(of.head);
        reach(found, binder.edges);
        break;
    default:
        found.push_back(of.head);
        reach_back(found, binder.edges);
        break;
    }
    if (binder.kind != BinderKind::value) {
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
    }
    for (Object head : found)
        if (Object object = line_.facet(head, type); object != no_object && !visit(object))
            return;
}

} // namespace heapstory::constraints
