// Attributes of objects: computed bottom up and kept for the time over which they hold.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/evaluate/evaluate.h"

namespace heapstory::constraints {

Value Evaluator::attribute(const Expr &e) {
    Operand of = operand(e.args[0]);
    const PlanAttribute &attribute = plan_.attributes[e.index];
    if (of.kind == Operand::Kind::null && attribute.null)
        return Value::of(*attribute.null);
    Object object = facet(of, attribute.type);
    return object == no_object ? Value() : attribute_of(e.index, object);
}

Value Evaluator::attribute_of(uint32_t number, Object object) {
    auto [place, within] = family_of_[number];
    Family &family = *families_[place];
    family.begin(line_.objects());
    size_t at = object * family.width() + within;
    const Memo *memo = &family.memos[at];
    if (!memo->span.holds(time)) {
        if (!family.earlier.empty() && family.earlier[at].span.holds(time)) {
            memo = &family.earlier[at];
        } else {
            // At first all; when time moves on, nobody may ask for the others.
            Family::Part part =
                family.is_new(object) ? family.all() : Family::Part{within, within + 1};
            compute_below(family, part, object);
        }
    }
    span.narrow(memo->span);
    return memo->value;
}

Truth Evaluator::circular(const Expr &e) {
    Object object = facet(operand(e.args[0]), plan_.attributes[e.index].type);
    if (object == no_object)
        return Truth::no;
    attribute_of(e.index, object);
    auto [place, within] = family_of_[e.index];
    Family &family = *families_[place];
    Family::Part part{within, within + 1};
    family.knows(object, part, time);
    return truth_of(family.marks[family.first(object, part)] & Family::cyclic);
}

namespace {

// Whether a rule reads attributes other than its own.
bool reads_others(const Expr &e, uint32_t own) {
    if (e.op == Op::attribute && e.index != own)
        return true;
    if (e.binder.of && reads_others(*e.binder.of, own))
        return true;
    return std::any_of(e.args.begin(), e.args.end(),
                       [&](const Expr &arg) { return reads_others(arg, own); });
}

} // namespace

void Evaluator::make_families() {
    for (uint32_t number = 0; number < plan_.attributes.size(); ++number) {
        const PlanAttribute &attribute = plan_.attributes[number];
        bool joins =
            attribute.edges != none && !attribute.stop && !reads_others(attribute.value, number);
        size_t place = 0;
        while (place < families_.size() &&
               (!joins || families_[place]->alone || families_[place]->type != attribute.type ||
                families_[place]->edges != attribute.edges))
            ++place;
        if (place == families_.size()) {
            families_.push_back(std::make_shared<Family>());
            families_.back()->type = attribute.type;
            families_.back()->edges = attribute.edges;
            families_.back()->alone = !joins;
        }
        Family &family = *families_[place];
        family_of_.emplace_back(uint32_t(place), uint32_t(family.width()));
        family.attributes.push_back(number);
    }
}

void Evaluator::compute(Family &family, Family::Part part, Object object, const Span &edges) {
    AllEdges kept(*this);
    std::vector<Bound> outer = std::move(spare_);
    outer.assign(1, {object, 0});
    std::swap(bound, outer);
    Span around = span;
    for (uint32_t i = part.first; i < part.end; ++i) {
        span = edges;
        Value value = evaluate(plan_.attributes[family.attributes[i]].value);
        family.memos_of(object)[i] = {span, value};
        family.marks[object * family.width() + i] &= Family::was_cyclic;
    }
    span = around;
    std::swap(bound, outer);
    spare_ = std::move(outer);
}

void Evaluator::compute_next(Family &family, Object object) {
    Span edges;
    edges_.out(line_.head(object), family.edges, time, edges,
               [](Object, uint32_t) { return true; });
    compute(family, family.all(), object, edges);
}

bool Evaluator::stops(const Family &family, Object object, Span &over) {
    const std::optional<Expr> &stop = plan_.attributes[family.attributes[0]].stop;
    if (!stop)
        return false;
    AllEdges kept(*this);
    std::vector<Bound> outer(1, {object, 0});
    std::swap(bound, outer);
    Span around = std::exchange(span, over);
    bool stopped = truth(*stop) == Truth::yes;
    over = std::exchange(span, around);
    std::swap(bound, outer);
    return stopped;
}

Evaluator::Pending Evaluator::open(const Family &family, Object object, Span &all) {
    Pending visit{object, needed_.size(), {}};
    if (stops(family, object, visit.edges)) {
        all.narrow(visit.edges);
        return visit;
    }
    edges_.out(line_.head(object), family.edges, time, visit.edges, [&](Object target, uint32_t) {
        if (Object next = line_.facet(target, family.type); next != no_object)
            needed_.push_back(next);
        return true;
    });
    all.narrow(visit.edges);
    return visit;
}

// Definitions recurse as deep as the structure does: what an object's value needs is computed
// before it, with a stack of our own. An object from which a cycle can be reached is UNKNOWN, for
// as long as nothing changes that was looked at to find that out.
void Evaluator::compute_below(Family &family, Family::Part part, Object wanted) {
    if (family.edges == none) {
        family.set_aside(wanted, part);
        compute(family, part, wanted, Span());
        return;
    }
    size_t bottom = stack_.size();
    std::vector<Object> above_cycle;
    Span all;
    auto memos_of = [&](Object object) {
        return std::span<Memo>(family.memos_of(object) + part.first, part.end - part.first);
    };
    auto push = [&](Object object) {
        family.set_aside(object, part);
        for (size_t at = family.first(object, part); at < family.end(object, part); ++at)
            family.marks[at] |= Family::open;
        stack_.push_back(open(family, object, all));
    };
    push(wanted);
    while (stack_.size() > bottom) {
        Pending &top = stack_.back();
        if (needed_.size() > top.first) {
            Object next = needed_.back();
            needed_.pop_back();
            bool done = family.knows(next, part, time);
            if (done)
                for (const Memo &memo : memos_of(next))
                    all.narrow(memo.span);
            uint8_t mark = family.marks[family.first(next, part)];
            if (mark & Family::open || (mark & Family::cyclic && done))
                top.cyclic = true;
            else if (!done)
                push(next);
            continue;
        }
        Pending visit = top;
        stack_.pop_back();
        if (visit.cyclic) {
            above_cycle.push_back(visit.object); // stays marked as open: whoever needs it is too
            if (stack_.size() > bottom)
                stack_.back().cyclic = true;
            continue;
        }
        compute(family, part, visit.object, visit.edges);
        for (const Memo &memo : memos_of(visit.object))
            all.narrow(memo.span);
    }
    for (Object object : above_cycle) {
        for (Memo &memo : memos_of(object))
            memo = {all, Value()};
        for (size_t at = family.first(object, part); at < family.end(object, part); ++at)
            family.marks[at] = uint8_t((family.marks[at] & Family::was_cyclic) | Family::cyclic);
    }
}

} // namespace heapstory::constraints
