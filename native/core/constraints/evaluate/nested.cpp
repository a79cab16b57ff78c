// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/evaluate/nested.h"

namespace heapstory::constraints {

namespace {

bool mentions(const Expr &e, size_t first, size_t end) {
    if (e.op == Op::variable)
        return e.index >= first && e.index < end;
    if (e.binder.of && mentions(*e.binder.of, first, end))
        return true;
    return std::any_of(e.args.begin(), e.args.end(),
                       [&](const Expr &arg) { return mentions(arg, first, end); });
}

bool reads_paths(const Expr &e) {
    return e.op == Op::path || e.op == Op::rooted ||
           std::any_of(e.args.begin(), e.args.end(), reads_paths);
}

} // namespace

NestedChecker::NestedChecker(const Timeline &line, const Plan &plan, const Edges &edges,
                             const Texts *texts)
    : line_(line), plan_(plan), evaluator_(line, plan, edges, texts) {
    for (const PlanConstraint &constraint : plan.constraints) {
        Atoms atoms;
        if (constraint.guard)
            gather(constraint, *constraint.guard, atoms.atoms);
        gather(constraint, constraint.body, atoms.atoms);
        atoms.with_body = constraint.universal() < constraint.variables.size();
        atoms_.push_back(std::move(atoms));
    }
}

// The maximal atoms of an expression that mention no EXISTS variable.
void NestedChecker::gather(const PlanConstraint &constraint, const Expr &e,
                           std::vector<const Expr *> &out) {
    if (is_atom(e.op)) {
        if (!mentions(e, constraint.universal(), constraint.variables.size()))
            out.push_back(&e);
        return;
    }
    for (const Expr &arg : e.args)
        gather(constraint, arg, out);
}

bool NestedChecker::within_one_instance(const PlanConstraint &constraint) {
    if (constraint.shape.kind == ShapeKind::acyclic)
        return true; // an edge does not lead from one to another
    size_t universal = constraint.universal();
    for (size_t a = 0; a < universal; ++a)
        for (size_t b = a + 1; b < universal; ++b) {
            uint32_t type = constraint.variables[a].type;
            if (type != constraint.variables[b].type || plan_.root_sets[type] == none)
                continue;
            if (evaluator_.instance(evaluator_.bound[a].object, type) !=
                evaluator_.instance(evaluator_.bound[b].object, type))
                return false;
        }
    return true;
}

// With EXISTS variables the body is the disjunction over their bindings.
Truth NestedChecker::body(const PlanConstraint &constraint, size_t variable) {
    if (variable == constraint.variables.size())
        return evaluator_.truth(constraint.body);
    Truth any = Truth::no;
    const PlanVariable &v = constraint.variables[variable];
    evaluator_.candidates(v.binder, v.type, [&](Object object) {
        evaluator_.bound[variable] = {object, 0};
        Truth found = body(constraint, variable + 1);
        if (found != Truth::no)
            any = found;
        return found != Truth::yes;
    });
    return any;
}

bool NestedChecker::violated(const PlanConstraint &constraint) {
    // A path is asked for only where the rest leaves it open.
    bool late = constraint.guard && reads_paths(*constraint.guard);
    auto guarded = [&] {
        return !constraint.guard || evaluator_.truth(*constraint.guard) == Truth::yes;
    };
    if (!late && !guarded())
        return false;
    if (body(constraint, constraint.universal()) != Truth::no)
        return false;
    return (!late || guarded()) && within_one_instance(constraint);
}

void NestedChecker::report_if_violated(uint32_t number, Reporting &reporting) {
    const PlanConstraint &constraint = plan_.constraints[number];
    if (!violated(constraint))
        return;
    Inconsistency e{number, {}};
    size_t universal = constraint.universal(), variables = constraint.variables.size();
    for (size_t i = 0; i < universal; ++i)
        e.binding.push_back(evaluator_.bound[i]);
    for (size_t i = 0; i < constraint.loops.size(); ++i)
        e.binding.push_back(evaluator_.bound[variables + i]);
    // It is the same inconsistency only while all of its arguments are the same.
    for (const Expr *atom : atoms_[number].atoms)
        evaluator_.evaluate(*atom);
    reporting.go_on = reporting.found(std::move(e));
}

void NestedChecker::loop(uint32_t number, size_t at, Reporting &reporting) {
    const PlanConstraint &constraint = plan_.constraints[number];
    if (at == constraint.loops.size()) {
        report_if_violated(number, reporting);
        return;
    }
    Value first = evaluator_.evaluate(constraint.loops[at].first).as_number();
    Value last = evaluator_.evaluate(constraint.loops[at].last).as_number();
    if (first.kind != ValueKind::integer || last.kind != ValueKind::integer)
        return;
    for (Integer i = first.integer; i <= last.integer && reporting.go_on; ++i) {
        evaluator_.bound[constraint.variables.size() + at] = {no_object, i};
        loop(number, at + 1, reporting);
    }
}

void NestedChecker::bind(uint32_t number, size_t variable, Reporting &reporting) {
    const PlanConstraint &constraint = plan_.constraints[number];
    if (variable == constraint.universal()) {
        loop(number, 0, reporting);
        return;
    }
    const PlanVariable &v = constraint.variables[variable];
    evaluator_.candidates(v.binder, v.type, [&](Object object) {
        evaluator_.bound[variable] = {object, 0};
        bind(number, variable + 1, reporting);
        return reporting.go_on;
    });
}

void NestedChecker::check_object(uint32_t number, Object object, uint64_t time, Span &span,
                                 const Found &found) {
    const PlanConstraint &constraint = plan_.constraints[number];
    evaluator_.begin(time);
    evaluator_.span.narrow(line_.birth[object], line_.death[object]);
    evaluator_.bound.assign(constraint.variables.size() + constraint.loops.size(), {});
    evaluator_.bound[0] = {object, 0};
    Reporting reporting{found};
    if (evaluator_.bound.size() == 1)
        report_if_violated(number, reporting);
    else
        bind(number, 1, reporting);
    span.narrow(evaluator_.span);
}

std::vector<Inconsistency> NestedChecker::check(uint32_t number, uint64_t time) {
    const PlanConstraint &constraint = plan_.constraints[number];
    std::vector<Inconsistency> out;
    evaluator_.begin(time);
    evaluator_.bound.assign(constraint.variables.size() + constraint.loops.size(), {});
    Found found = [&](Inconsistency e) {
        out.push_back(std::move(e));
        return true;
    };
    Reporting reporting{found};
    bind(number, 0, reporting);
    return out;
}

void NestedChecker::bind_all(const Inconsistency &e) {
    const PlanConstraint &constraint = plan_.constraints[e.constraint];
    size_t universal = constraint.universal(), variables = constraint.variables.size();
    evaluator_.bound.assign(variables + constraint.loops.size(), {});
    for (size_t i = 0; i < universal; ++i)
        evaluator_.bound[i] = e.binding[i];
    for (size_t i = 0; i < constraint.loops.size(); ++i)
        evaluator_.bound[variables + i] = e.binding[universal + i];
}

bool NestedChecker::is_costly(uint32_t constraint) const {
    const auto &atoms = atoms_[constraint].atoms;
    return std::any_of(atoms.begin(), atoms.end(),
                       [](const Expr *atom) { return atom->op == Op::aggregate; });
}

bool NestedChecker::is_inconsistent(const Inconsistency &e, uint64_t time) {
    const PlanConstraint &constraint = plan_.constraints[e.constraint];
    for (size_t i = 0; i < constraint.universal(); ++i)
        if (!line_.alive(e.binding[i].object, time))
            return false;
    evaluator_.begin(time);
    bind_all(e);
    return violated(constraint);
}

void NestedChecker::read(const Expr &e, const std::function<void(uint64_t)> &written,
                         std::vector<Value> &pointers) {
    if (e.op == Op::field || e.op == Op::index) {
        Span span = evaluator_.span;
        evaluator_.span = Span();
        Value value = evaluator_.evaluate(e);
        // Of a chain X.next.key, the parts are read on their own below.
        if (uint32_t cell = evaluator_.cell(e); cell != none) {
            Span own;
            if (const Version *version = line_.at(cell, evaluator_.time, own))
                written(version->since);
        }
        evaluator_.span = span;
        if (value.kind == ValueKind::pointer)
            pointers.push_back(value);
    }
    for (const Expr &arg : e.args)
        read(arg, written, pointers);
}

std::vector<Value> NestedChecker::reads(const Inconsistency &e, uint64_t time,
                                        const std::function<void(uint64_t)> &written) {
    std::vector<Value> pointers;
    evaluator_.begin(time);
    bind_all(e);
    for (const Expr *atom : atoms_[e.constraint].atoms)
        if (atom->op != Op::exists && atom->op != Op::aggregate)
            read(*atom, written, pointers);
    return pointers;
}

// What the fields of a sum would have to be for it to come to a number.
void NestedChecker::solve(const Expr &e, Integer number, const Wanted &found) {
    if (e.op == Op::field || e.op == Op::index) {
        if (uint32_t cell = evaluator_.cell(e); cell != none)
            found(cell, number);
        return;
    }
    if (e.op == Op::bitand_) { // a pointer with a tag: the other bits stay
        Value mask = evaluator_.evaluate(e.args[1]), all = evaluator_.evaluate(e.args[0]);
        all = all.as_number();
        if (mask.kind == ValueKind::integer && all.kind == ValueKind::integer &&
            (number & ~mask.integer) == 0)
            solve(e.args[0], number | (all.integer & ~mask.integer), found);
        return;
    }
    if (e.op != Op::add && e.op != Op::sub)
        return;
    Value left = evaluator_.evaluate(e.args[0]).as_number();
    Value right = evaluator_.evaluate(e.args[1]).as_number();
    bool sum = e.op == Op::add;
    if (right.kind == ValueKind::integer)
        solve(e.args[0], sum ? number - right.integer : number + right.integer, found);
    if (left.kind == ValueKind::integer)
        solve(e.args[1], sum ? number - left.integer : left.integer - number, found);
}

void NestedChecker::compare(const Expr &e, const Wanted &found) {
    if (e.op < Op::eq || e.op > Op::ge) {
        for (const Expr &arg : e.args)
            compare(arg, found);
        return;
    }
    for (size_t side : {0, 1})
        if (Value other = evaluator_.evaluate(e.args[1 - side]).as_number();
            other.kind == ValueKind::integer)
            solve(e.args[side], other.integer, found);
}

void NestedChecker::wanted(const Inconsistency &e, uint64_t time, const Wanted &found) {
    const PlanConstraint &constraint = plan_.constraints[e.constraint];
    if (constraint.universal() < constraint.variables.size())
        return; // its variables are not all bound
    evaluator_.begin(time);
    bind_all(e);
    if (constraint.guard)
        compare(*constraint.guard, found);
    compare(constraint.body, found);
}

std::vector<Value> NestedChecker::arguments(const Inconsistency &e, uint64_t time, Span &span) {
    const PlanConstraint &constraint = plan_.constraints[e.constraint];
    size_t universal = constraint.universal();
    for (size_t i = 0; i < universal; ++i) {
        Object object = e.binding[i].object;
        if (line_.alive(object, time))
            continue;
        if (time < line_.birth[object])
            span.narrow(0, line_.birth[object]);
        else
            span.narrow(line_.death[object], forever);
        return {Value::absent()};
    }
    evaluator_.begin(time);
    bind_all(e);
    for (size_t i = 0; i < universal; ++i)
        evaluator_.span.narrow(line_.birth[e.binding[i].object], line_.death[e.binding[i].object]);
    std::vector<Value> values;
    for (const Expr *atom : atoms_[e.constraint].atoms)
        values.push_back(evaluator_.evaluate(*atom));
    if (atoms_[e.constraint].with_body)
        values.push_back(value_of(body(constraint, universal)));
    span.narrow(evaluator_.span);
    return values;
}

} // namespace heapstory::constraints
