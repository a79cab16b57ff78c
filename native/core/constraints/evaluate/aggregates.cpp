// Counts, sums and extremes of all that can be reached from somewhere.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/evaluate/evaluate.h"

namespace heapstory::constraints {

namespace {

constexpr size_t few = 4; // objects that are gathered anew every time

// Whether an expression reads nothing but the object it is about: no other variable, and nothing
// that is gathered in turn.
bool is_about(const Expr &e, uint32_t variable) {
    if (e.op == Op::variable)
        return e.index == variable;
    if (e.op == Op::aggregate || e.op == Op::exists || e.op == Op::path)
        return false;
    return std::all_of(e.args.begin(), e.args.end(),
                       [&](const Expr &arg) { return is_about(arg, variable); });
}

bool is_total(const Expr &e) {
    return e.text == "count" || e.text == "sum";
}

} // namespace

Value Evaluator::aggregate(const Expr &e) {
    Operand from = operand(e.args[0]);
    if (from.kind == Operand::Kind::null && is_total(e))
        return Value::number(0);
    if (from.kind != Operand::Kind::object)
        return Value();
    AllEdges kept(*this);
    auto key = total_key(e, from.head);
    RunningTotal *total = key ? running_total(e, *key) : nullptr;
    if (total) {
        size_t before = total->members();
        auto found = total->at(from.head, time, span);
        kept_ += total->members() - before;
        if (found)
            return Value::number(*found);
    }
    size_t gathered = 0;
    Value result = gather(e, from.head, gathered);
    if (key && gathered > few)
        totals_.try_emplace(*key);
    return result;
}

// By what a total is known from one moment to the next; none if it cannot be kept.
std::optional<Evaluator::TotalKey> Evaluator::total_key(const Expr &e, Object start) {
    const Expr &of = e.args[0];
    if (!is_total(e) || !is_about(e.args[1], e.index))
        return std::nullopt;
    if (of.op == Op::variable)
        return TotalKey{&e, start};
    if (of.op == Op::field || of.op == Op::index)
        return TotalKey{&e, uint64_t(cell(of)) << 32};
    return std::nullopt;
}

// Kept for what is asked for a second time, as long as all of them do not hold much more than there
// are objects.
RunningTotal *Evaluator::running_total(const Expr &e, const TotalKey &key) {
    auto place = totals_.find(key);
    if (place == totals_.end())
        return nullptr;
    if (!place->second && kept_ < 4 * line_.objects())
        place->second = std::make_unique<RunningTotal>(
            edges_, e.edges,
            [this, &e](Object head, uint64_t at, Span &over) { return added(e, head, at, over); });
    return place->second.get();
}

std::optional<Integer> Evaluator::added(const Expr &e, Object head, uint64_t at, Span &over) {
    Object object = e.type == none ? head : line_.facet(head, e.type);
    if (object == no_object)
        return 0;
    Span around = span;
    uint64_t now = time;
    begin(at);
    variable(e.index) = {object, 0};
    std::optional<Integer> result;
    if (e.text == "count") {
        result = truth(e.args[1]) == Truth::yes;
    } else if (Value value = evaluate(e.args[1]); !value.known()) {
        result = 0;
    } else if (value.kind == ValueKind::integer) {
        result = value.integer;
    }
    over.narrow(span);
    time = now;
    span = around;
    return result;
}

Value Evaluator::gather(const Expr &e, Object start, size_t &gathered) {
    bool counts = e.text == "count", sums = e.text == "sum";
    std::vector<Object> found{start};
    reach(found, e.edges);
    if (marks_.add(start))
        found.push_back(start);
    gathered = found.size();
    if (!counts) // a sum of fractions depends on the order
        std::sort(found.begin(), found.end());
    Value result = counts || sums ? Value::number(0) : Value();
    for (Object head : found) {
        Object object = e.type == none ? head : line_.facet(head, e.type);
        if (object == no_object)
            continue;
        variable(e.index) = {object, 0};
        if (counts) {
            result.integer += truth(e.args[1]) == Truth::yes;
            continue;
        }
        Value value = evaluate(e.args[1]);
        if (!value.known())
            continue;
        Op op = sums ? Op::add : e.text == "min" ? Op::min : Op::max;
        result = result.known() || sums ? calculate(op, result, value) : value;
    }
    return result;
}

} // namespace heapstory::constraints
