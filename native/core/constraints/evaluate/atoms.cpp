// What is asked of objects and their surroundings.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/evaluate/evaluate.h"

namespace heapstory::constraints {

namespace {

constexpr uint64_t longest_text = 4096;

} // namespace

uint64_t Evaluator::indegree(Object head, uint32_t set) {
    const IncomingIndex &incoming = edges_.incoming(set);
    uint64_t count = incoming.count(head, time, span);
    if (rooted_edges)
        incoming.standing(head, time,
                          [&](const Incoming &edge) { count -= rooted(edge.source) == Truth::no; });
    return count;
}

Value Evaluator::degree(const Expr &e) {
    Operand of = operand(e.args[0]);
    if (of.kind != Operand::Kind::object)
        return Value();
    auto in = [&] { return indegree(of.head, e.edges); };
    auto out = [&] {
        uint64_t count = 0;
        edges_.out(of.head, e.edges, time, span, [&](Object, uint32_t) {
            ++count;
            return true;
        });
        return count;
    };
    switch (e.op) {
    case Op::indegree:
        return Value::number(in());
    case Op::outdegree:
        return Value::number(out());
    case Op::external:
        return Value::of(out() == 0 || in() == 0);
    case Op::internal:
        return Value::of(out() != 0 && in() != 0);
    case Op::isroot:
        return Value::of(in() == 0);
    default:
        return Value::of(out() == 0);
    }
}

Truth Evaluator::edge(const Expr &e) {
    Operand from = operand(e.args[0]), to = operand(e.args[1]);
    if (from.kind == Operand::Kind::unknown || to.kind == Operand::Kind::unknown)
        return Truth::unknown;
    if (from.kind != Operand::Kind::object || to.kind != Operand::Kind::object)
        return Truth::no;
    return truth_of(!edges_.out(from.head, e.edges, time, span,
                                [&](Object target, uint32_t) { return target != to.head; }));
}

Truth Evaluator::path(const Expr &e) {
    Operand from = operand(e.args[0]), to = operand(e.args[1]);
    if (from.kind == Operand::Kind::unknown || to.kind == Operand::Kind::unknown)
        return Truth::unknown;
    if (from.kind != Operand::Kind::object || to.kind != Operand::Kind::object)
        return Truth::no;
    return truth_of(path(from.head, to.head, e.edges));
}

Truth Evaluator::rooted(const Expr &e) {
    Operand of = operand(e.args[0]);
    return of.kind == Operand::Kind::object ? rooted(of.head) : Truth::unknown;
}

Truth Evaluator::rooted(Object head) {
    for (uint32_t type = 0; type < plan_.types.size(); ++type)
        if (plan_.root_sets[type] != none && line_.facet(head, type) != no_object)
            return truth_of(rooted(head, type));
    return Truth::unknown;
}

Truth Evaluator::safe(const Expr &e) {
    const Expr &of = e.args[0];
    // What nearly all pointers are: NULL, or to an object of the type that is asked for.
    if (e.type != none && of.op == Op::field &&
        plan_.types[of.type].fields[of.index].kind == FieldKind::pointer) {
        Operand to = operand_of_field(of);
        if (to.kind == Operand::Kind::null || facet(to, e.type) != no_object)
            return Truth::yes;
    }
    Value value = evaluate(of);
    if (!value.known())
        return Truth::unknown;
    if (value.kind != ValueKind::pointer)
        return truth_of(value.is_number() && value.as_real() == 0);
    if (!e.text.empty())
        return truth_of(value.state != PointerState::wild);
    if (value.state != PointerState::live)
        return truth_of(value.state == PointerState::null);
    const Block &block = line_.blocks[value.block];
    if (e.type != none) {
        if (facet(operand_of(value), e.type) != no_object)
            return Truth::yes;
        if (block.type_id)
            return Truth::no;
    }
    return truth_of(value.address == block.address);
}

Truth Evaluator::exists(const Expr &e) {
    Truth any = Truth::no;
    candidates(e.binder, e.type, [&](Object object) {
        variable(e.index) = {object, 0};
        Truth found = truth(e.args[0]);
        if (found != Truth::no)
            any = found;
        return found != Truth::yes;
    });
    return any;
}

Value Evaluator::references(const Expr &e) {
    Value of = evaluate(e.args[0]);
    if (!of.known() || !line_.references.known())
        return Value();
    if (of.kind != ValueKind::pointer || of.state != PointerState::live)
        return Value::number(0);
    return Value::number(line_.references.count(line_.blocks[of.block].id, of.address, time, span));
}

Value Evaluator::extreme(const Expr &e) {
    Value best;
    Op op = e.op == Op::least ? Op::min : Op::max;
    for (const Expr &arg : e.args) {
        Value value = evaluate(arg);
        if (value.known())
            best = best.known() ? calculate(op, best, value) : value;
    }
    return best;
}

Value Evaluator::text(const Expr &e) {
    Value pointer = evaluate(e.args[0]);
    if (!texts_ || pointer.kind != ValueKind::pointer || pointer.state != PointerState::live)
        return Value();
    const Block &block = line_.blocks[pointer.block];
    uint64_t offset = pointer.address - block.address;
    uint64_t most = std::min(longest_text, block.size - std::min(block.size, offset));
    auto found = texts_->text(block.id, offset, most, time, span);
    if (!found || found->size() == most)
        return Value(); // no NUL
    return pooled(std::move(*found));
}

} // namespace heapstory::constraints
