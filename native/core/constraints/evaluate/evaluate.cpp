// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/evaluate/evaluate.h"

namespace heapstory::constraints {

Evaluator::Evaluator(const Timeline &line, const Plan &plan, const Edges &edges, const Texts *texts)
    : line_(line), plan_(plan), edges_(edges), texts_(texts), instances_(plan.types.size()),
      births_(plan.types.size()), deaths_(plan.types.size()) {
    make_families();
}

void Evaluator::narrow_to_population(uint32_t type) {
    if (births_[type].empty()) {
        for (Object object : line_.by_type[type]) {
            births_[type].push_back(line_.birth[object]);
            if (line_.death[object] != forever)
                deaths_[type].push_back(line_.death[object]);
        }
        std::sort(births_[type].begin(), births_[type].end());
        std::sort(deaths_[type].begin(), deaths_[type].end());
    }
    for (const auto *moments : {&births_[type], &deaths_[type]}) {
        auto after = std::upper_bound(moments->begin(), moments->end(), time);
        if (after != moments->begin())
            span.narrow(after[-1], forever);
        if (after != moments->end())
            span.narrow(0, *after);
    }
}

// X.next == NULL and X.next != NULL: what it leads to if not does not matter.
Truth Evaluator::is_null(const Expr &e) {
    const Expr &of = e.args[0];
    Object object = facet(operand(of.args[0]), of.type);
    const PlanField &field = plan_.types[of.type].fields[of.index];
    if (field.kind != FieldKind::pointer || field.size != 8 || object == no_object)
        return compare(e.op, evaluate(of), Value::null());
    const Version *version = line_.at(line_.first_cell[object] + of.index, time, span);
    return version ? truth_of((version->value == 0) == (e.op == Op::eq)) : Truth::unknown;
}

Truth Evaluator::truth(const Expr &e) {
    switch (e.op) {
    case Op::true_:
        return Truth::yes;
    case Op::false_:
        return Truth::no;
    case Op::and_: {
        Truth result = Truth::yes;
        for (const Expr &arg : e.args) {
            Truth next = truth(arg);
            if (next == Truth::no)
                return Truth::no;
            if (next == Truth::unknown)
                result = Truth::unknown;
        }
        return result;
    }
    case Op::or_: {
        Truth result = Truth::no;
        for (const Expr &arg : e.args) {
            Truth next = truth(arg);
            if (next == Truth::yes)
                return Truth::yes;
            if (next == Truth::unknown)
                result = Truth::unknown;
        }
        return result;
    }
    case Op::not_: {
        Truth inner = truth(e.args[0]);
        return inner == Truth::unknown ? inner : truth_of(inner == Truth::no);
    }
    case Op::eq:
    case Op::ne:
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge: {
        if (e.args[1].op == Op::null && e.args[0].op == Op::field &&
            (e.op == Op::eq || e.op == Op::ne))
            return is_null(e);
        Value left = evaluate(e.args[0]);
        if (!left.known())
            return Truth::unknown;
        return compare(e.op, left, evaluate(e.args[1]));
    }
    case Op::edge:
        return edge(e);
    case Op::path:
        return path(e);
    case Op::rooted:
        return rooted(e);
    case Op::safe:
        return safe(e);
    case Op::written: {
        if (evaluate(e.args[0]).known())
            return Truth::yes;
        uint32_t of = cell(e.args[0]);
        return of != none && line_.is_open(of, time) ? Truth::unknown : Truth::no;
    }
    case Op::circular:
        return circular(e);
    case Op::exists:
        return exists(e);
    default: {
        Value value = evaluate(e);
        return value.kind == ValueKind::boolean ? truth_of(value.integer != 0) : Truth::unknown;
    }
    }
}

Value Evaluator::evaluate(const Expr &e) {
    switch (e.op) {
    case Op::field:
        return field(e);
    case Op::index:
        return index(e);
    case Op::element:
        return element(e);
    case Op::extent:
        return extent(e);
    case Op::string:
        return text(e);
    case Op::attribute:
        return attribute(e);
    case Op::indegree:
    case Op::outdegree:
    case Op::external:
    case Op::internal:
    case Op::isroot:
    case Op::isleaf:
        return degree(e);
    case Op::references:
        return references(e);
    case Op::aggregate:
        return aggregate(e);
    case Op::variable: {
        const Bound &at = bound[e.index];
        return at.object == no_object ? Value::number(at.number)
                                      : pointer_to(line_.head(at.object));
    }
    case Op::number:
        return Value::of(e.number);
    case Op::text:
        return pooled(e.text);
    case Op::null:
        return Value::null();
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::mod:
    case Op::bitand_:
    case Op::min:
    case Op::max: {
        Value result = evaluate(e.args[0]);
        for (size_t i = 1; i < e.args.size(); ++i)
            result = calculate(e.op, result, evaluate(e.args[i]));
        return result;
    }
    case Op::neg:
        return negate(evaluate(e.args[0]));
    case Op::abs:
        return absolute(evaluate(e.args[0]));
    case Op::least:
    case Op::greatest:
        return extreme(e);
    case Op::length: {
        Value value = evaluate(e.args[0]);
        return value.kind == ValueKind::text ? Value::number(Integer(value.text->size())) : Value();
    }
    case Op::hash: {
        Value value = evaluate(e.args[0]);
        return value.kind == ValueKind::text ? Value::number(hash_text(e.text, *value.text))
                                             : Value();
    }
    case Op::if_:
        return evaluate(truth(e.args[0]) == Truth::yes ? e.args[1] : e.args[2]);
    default:
        return value_of(truth(e));
    }
}

} // namespace heapstory::constraints
