// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/evaluate.h"

#include <bit>
#include <cmath>

namespace heapstory::check {

namespace {

constexpr uint64_t longest_text = 4096;

// Bits of a signed number of so many bits.
Integer sign_extended(uint64_t value, unsigned bits) {
    if (bits >= 64)
        return Integer(int64_t(value));
    uint64_t sign = uint64_t(1) << (bits - 1);
    return Integer(int64_t((value ^ sign) - sign));
}

Value real_of(uint64_t bits, uint64_t size) {
    if (size == 4)
        return Value::of_real(double(std::bit_cast<float>(uint32_t(bits))));
    return size == 8 ? Value::of_real(std::bit_cast<double>(bits)) : Value();
}

} // namespace

Evaluator::Evaluator(const Timeline &line, const Plan &plan, const Edges &edges, const Texts *texts)
    : line_(line), plan_(plan), edges_(edges), texts_(texts), memos_(plan.attributes.size()),
      instances_(plan.types.size()), births_(plan.types.size()), deaths_(plan.types.size()) {
    for (size_t type = 0; type < plan.types.size(); ++type) {
        for (Object object : line.by_type[type]) {
            births_[type].push_back(line.birth[object]);
            if (line.death[object] != forever)
                deaths_[type].push_back(line.death[object]);
        }
        std::sort(births_[type].begin(), births_[type].end());
        std::sort(deaths_[type].begin(), deaths_[type].end());
    }
}

void Evaluator::narrow_to_population(uint32_t type) {
    for (const auto *moments : {&births_[type], &deaths_[type]}) {
        auto after = std::upper_bound(moments->begin(), moments->end(), time);
        if (after != moments->begin())
            span.narrow(after[-1], forever);
        if (after != moments->end())
            span.narrow(0, *after);
    }
}

Operand Evaluator::operand_of(const Value &value) const {
    using Kind = Operand::Kind;
    if (!value.known())
        return {};
    if (value.kind == ValueKind::integer && value.integer == 0)
        return {Kind::null, no_object};
    if (value.kind != ValueKind::pointer)
        return {Kind::other, no_object};
    if (value.state == PointerState::null)
        return {Kind::null, no_object};
    if (value.state != PointerState::live || value.block + 1 >= line_.first_object.size())
        return {Kind::other, no_object};
    uint64_t offset = value.address - line_.blocks[value.block].address;
    Object end = line_.first_object[value.block + 1];
    for (Object at = line_.first_object[value.block]; at < end;) {
        if (line_.base[at] == offset && line_.type[at] < plan_.visible_types)
            return {Kind::object, at};
        if (end - at > 8) { // a block of many objects
            auto from = line_.base.begin() + at;
            at = Object(std::lower_bound(from, line_.base.begin() + end, offset) -
                        line_.base.begin());
            if (at < end && line_.base[at] == offset)
                return {Kind::object, at};
            break;
        }
        ++at;
    }
    return {Kind::other, no_object};
}

Operand Evaluator::operand(const Expr &e) {
    if (e.op == Op::variable && bound[e.index].object != no_object)
        return {Operand::Kind::object, line_.head(bound[e.index].object)};
    if (e.op == Op::field && plan_.types[e.type].fields[e.index].kind == FieldKind::pointer)
        return operand_of_field(e);
    return operand_of(evaluate(e));
}

// As operand_of(field(e)), without a value in between.
Operand Evaluator::operand_of_field(const Expr &e) {
    using Kind = Operand::Kind;
    Object object = facet(operand(e.args[0]), e.type);
    const Version *version =
        object == no_object ? nullptr : line_.at(line_.first_cell[object] + e.index, time, span);
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

Value Evaluator::read_pointer(const Version &version, bool word) {
    uint32_t block = line_.block_of(version);
    if (block != none) {
        uint64_t death = version.target < line_.objects() ? line_.death[version.target]
                                                          : line_.blocks[block].death;
        if (time < death) {
            span.narrow(0, death);
            return Value::pointer(PointerState::live, version.value, block);
        }
        span.narrow(death, forever);
        return Value::pointer(PointerState::stale, version.value, block);
    }
    if (word)
        return Value::number(sign_extended(version.value, 64));
    return version.value ? Value::pointer(PointerState::wild, version.value, none) : Value::null();
}

Value Evaluator::read(uint32_t cell, const PlanField &field) {
    const Version *version = line_.at(cell, time, span);
    if (!version)
        return Value();
    switch (field.kind) {
    case FieldKind::integer:
        return Value::number(sign_extended(
            version->value, field.bit_size ? field.bit_size : unsigned(8 * field.size)));
    case FieldKind::natural:
        return Value::number(version->value);
    case FieldKind::real:
        return real_of(version->value, field.size);
    default:
        if (field.size != 8)
            return Value::number(version->value);
        return read_pointer(*version, field.kind == FieldKind::word);
    }
}

Value Evaluator::field(const Expr &e) {
    Object object = facet(operand(e.args[0]), e.type);
    if (object == no_object)
        return Value();
    const PlanField &field = plan_.types[e.type].fields[e.index];
    if (field.kind != FieldKind::chars)
        return read(line_.first_cell[object] + e.index, field);
    if (!texts_)
        return Value();
    const Block &block = line_.blocks[line_.block[object]];
    auto found = texts_->text(block.id, line_.base[object] + field.offset, field.size, time, span);
    return found ? pooled(std::move(*found)) : Value();
}

uint32_t Evaluator::cell(const Expr &e) {
    Object object = facet(operand(e.args[0]), e.type);
    if (object == no_object)
        return none;
    if (e.op == Op::field)
        return plan_.types[e.type].fields[e.index].kind == FieldKind::chars
                   ? none
                   : line_.first_cell[object] + e.index;
    Value at = evaluate(e.args[1]);
    const Layout &layout = edges_.layout(e.type);
    if (at.kind != ValueKind::integer || at.integer < 0 ||
        at.integer >= layout.elements(e.index, edges_.room(object)))
        return none;
    return line_.first_cell[object] + layout.run_start(e.index) + uint32_t(at.integer);
}

Value Evaluator::index(const Expr &e) {
    uint32_t found = cell(e);
    return found == none ? Value() : read(found, plan_.types[e.type].runs[e.index].field);
}

Value Evaluator::extent(const Expr &e) {
    Object object = facet(operand(e.args[0]), e.type);
    if (object == no_object)
        return Value();
    return Value::number(edges_.layout(e.type).elements(e.index, edges_.room(object)));
}

Value Evaluator::degree(const Expr &e) {
    Operand of = operand(e.args[0]);
    if (of.kind != Operand::Kind::object)
        return Value();
    auto in = [&] { return edges_.incoming(e.edges).count(of.head, time, span); };
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
    if (of.kind != Operand::Kind::object)
        return Truth::unknown;
    for (uint32_t type = 0; type < plan_.visible_types; ++type)
        if (plan_.root_sets[type] != none && line_.facet(of.head, type) != no_object)
            return truth_of(rooted(of.head, type));
    return Truth::unknown;
}

Truth Evaluator::safe(const Expr &e) {
    Value value = evaluate(e.args[0]);
    if (!value.known())
        return Truth::unknown;
    if (value.kind != ValueKind::pointer)
        return truth_of(value.is_number() && value.as_real() == 0);
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
    Operand of = operand(e.args[0]);
    if (of.kind != Operand::Kind::object || line_.references.first.empty())
        return Value();
    return Value::number(line_.references.count(of.head, time, span));
}

Value Evaluator::aggregate(const Expr &e) {
    bool counts = e.text == "count", sums = e.text == "sum";
    Operand from = operand(e.args[0]);
    if (from.kind == Operand::Kind::null && (counts || sums))
        return Value::number(0);
    if (from.kind != Operand::Kind::object)
        return Value();
    std::vector<Object> found{from.head};
    reach(found, e.edges);
    found.push_back(from.head);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
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
        return e.is_real ? Value::of_real(e.real) : Value::number(e.integer);
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

} // namespace heapstory::check
