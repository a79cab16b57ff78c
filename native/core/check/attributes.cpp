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
    auto &memos = memos_[number];
    if (memos.empty())
        memos.resize(line_.objects());
    if (!memos[object].span.holds(time)) {
        if (plan_.attributes[number].edges == none)
            compute(number, object);
        else
            compute_below(number, object);
    }
    span.narrow(memos[object].span);
    return memos[object].value;
}

void Evaluator::compute(uint32_t number, Object object) {
    std::vector<Bound> outer{{object, 0}};
    std::swap(bound, outer);
    Span around = span;
    span = Span();
    Value value = evaluate(plan_.attributes[number].value);
    Memo &memo = memos_[number][object];
    memo.value = value;
    memo.span = span;
    memo.mark = Memo::none;
    span = around;
    std::swap(bound, outer);
}

Evaluator::Pending Evaluator::open(const PlanAttribute &attribute, Object object, Span &all) {
    Pending visit{object, needed_.size(), {}};
    edges_.out(line_.head(object), attribute.edges, time, visit.edges,
               [&](Object target, uint32_t) {
                   if (Object next = line_.facet(target, attribute.type); next != no_object)
                       needed_.push_back(next);
                   return true;
               });
    all.narrow(visit.edges);
    return visit;
}

// Definitions recurse as deep as the structure does: what an object's value needs is computed
// before it, with a stack of our own. An object from which a cycle can be reached is UNKNOWN, for
// as long as nothing changes that was looked at to find that out.
void Evaluator::compute_below(uint32_t number, Object wanted) {
    const PlanAttribute &attribute = plan_.attributes[number];
    auto &memos = memos_[number];
    std::vector<Pending> stack;
    std::vector<Object> above_cycle;
    Span all;
    auto push = [&](Object object) {
        memos[object].mark = Memo::open;
        memos[object].span = {1, 0};
        stack.push_back(open(attribute, object, all));
    };
    push(wanted);
    while (!stack.empty()) {
        Pending &top = stack.back();
        if (needed_.size() > top.first) {
            Object next = needed_.back();
            needed_.pop_back();
            Memo &memo = memos[next];
            bool done = memo.span.holds(time);
            if (done)
                all.narrow(memo.span);
            if (memo.mark == Memo::open || (memo.mark == Memo::cyclic && done))
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
        compute(number, visit.object);
        memos[visit.object].span.narrow(visit.edges);
        all.narrow(memos[visit.object].span);
    }
    for (Object object : above_cycle) {
        memos[object].span = all;
        memos[object].value = Value();
        memos[object].mark = Memo::cyclic;
    }
}

} // namespace heapstory::check
