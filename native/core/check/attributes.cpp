// Attributes of objects: computed bottom up and kept for the time over which they hold.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/evaluate.h"

namespace heapstory::check {

Value Evaluator::attribute(const Expr &e) {
    Operand of = operand(e.args[0]);
    const PlanAttribute &attribute = plan_.attributes[e.index];
    if (of.kind == Operand::Kind::null && attribute.null)
        return evaluate(*attribute.null);
    Object object = facet(of, attribute.type);
    return object == no_object ? Value() : attribute_of(e.index, object);
}

Value Evaluator::attribute_of(uint32_t number, Object object) {
    auto [place, within] = family_of_[number];
    Family &family = families_[place];
    if (family.memos.empty()) {
        family.memos.resize(line_.objects() * family.attributes.size());
        family.marks.assign(line_.objects(), Family::nothing);
    }
    size_t at = object * family.attributes.size() + within;
    if (!family.memos[at].span.holds(time)) {
        if (family.edges == none)
            compute(family, object);
        else
            compute_below(family, object);
    }
    span.narrow(family.memos[at].span);
    return family.memos[at].value;
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
    std::vector<bool> alone;
    for (uint32_t number = 0; number < plan_.attributes.size(); ++number) {
        const PlanAttribute &attribute = plan_.attributes[number];
        bool joins = attribute.edges != none && !reads_others(attribute.value, number);
        size_t place = 0;
        while (place < families_.size() &&
               (!joins || alone[place] || families_[place].type != attribute.type ||
                families_[place].edges != attribute.edges))
            ++place;
        if (place == families_.size()) {
            families_.emplace_back();
            families_.back().type = attribute.type;
            families_.back().edges = attribute.edges;
            alone.push_back(!joins);
        }
        Family &family = families_[place];
        family_of_.emplace_back(uint32_t(place), uint32_t(family.attributes.size()));
        family.attributes.push_back(number);
    }
}

void Evaluator::compute(Family &family, Object object) {
    std::vector<Bound> outer = std::move(spare_);
    outer.assign(1, {object, 0});
    std::swap(bound, outer);
    Span around = span;
    for (size_t i = 0; i < family.attributes.size(); ++i) {
        span = Span();
        Value value = evaluate(plan_.attributes[family.attributes[i]].value);
        Memo &memo = family.memos[object * family.attributes.size() + i];
        memo.value = value;
        memo.span = span;
    }
    family.marks[object] = Family::nothing;
    span = around;
    std::swap(bound, outer);
    spare_ = std::move(outer);
}

Evaluator::Pending Evaluator::open(const Family &family, Object object, Span &all) {
    Pending visit{object, needed_.size(), {}};
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
void Evaluator::compute_below(Family &family, Object wanted) {
    size_t width = family.attributes.size();
    std::vector<Pending> stack;
    std::vector<Object> above_cycle;
    Span all;
    auto memos_of = [&](Object object) {
        return std::span<Memo>(family.memos.data() + object * width, width);
    };
    auto push = [&](Object object) {
        family.marks[object] = Family::open;
        for (Memo &memo : memos_of(object))
            memo.span = {1, 0};
        stack.push_back(open(family, object, all));
    };
    push(wanted);
    while (!stack.empty()) {
        Pending &top = stack.back();
        if (needed_.size() > top.first) {
            Object next = needed_.back();
            needed_.pop_back();
            bool done = true;
            for (const Memo &memo : memos_of(next))
                done &= memo.span.holds(time);
            if (done)
                for (const Memo &memo : memos_of(next))
                    all.narrow(memo.span);
            if (family.marks[next] == Family::open ||
                (family.marks[next] == Family::cyclic && done))
                top.cyclic = true;
            else if (!done)
                push(next);
            continue;
        }
        Pending visit = top;
        stack.pop_back();
        if (visit.cyclic) {
            above_cycle.push_back(visit.object); // stays marked as open: whoever needs it is too
            if (!stack.empty())
                stack.back().cyclic = true;
            continue;
        }
        compute(family, visit.object);
        for (Memo &memo : memos_of(visit.object)) {
            memo.span.narrow(visit.edges);
            all.narrow(memo.span);
        }
    }
    for (Object object : above_cycle) {
        for (Memo &memo : memos_of(object)) {
            memo.span = all;
            memo.value = Value();
        }
        family.marks[object] = Family::cyclic;
    }
}

} // namespace heapstory::check
