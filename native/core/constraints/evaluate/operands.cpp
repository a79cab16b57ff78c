// What operands mean: objects, pointers, and the fields of objects.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/evaluate/evaluate.h"

#include <bit>

namespace heapstory::constraints {

namespace {

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
    int64_t offset = int64_t(value.address - line_.blocks[value.block].address);
    Object end = line_.first_object[value.block + 1];
    for (Object at = line_.first_object[value.block]; at < end;) {
        if (line_.base[at] == offset)
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
    uint64_t offset = uint64_t(line_.base[object]) + field.offset;
    auto found = texts_->text(block.id, offset, field.size, time, span);
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

Value Evaluator::element(const Expr &e) {
    Value base = evaluate(e.args[0]), at = evaluate(e.args[1]);
    if (base.kind != ValueKind::pointer || base.state != PointerState::live ||
        at.kind != ValueKind::integer)
        return Value();
    const Block &block = line_.blocks[base.block];
    Integer offset =
        Integer(base.address - block.address) + e.index + at.integer * e.number.integer;
    if (offset < 0 || offset >= Integer(block.size))
        return Value();
    return Value::pointer(PointerState::live, block.address + uint64_t(offset), base.block);
}

Value Evaluator::extent(const Expr &e) {
    Object object = facet(operand(e.args[0]), e.type);
    if (object == no_object)
        return Value();
    return Value::number(edges_.layout(e.type).elements(e.index, edges_.room(object)));
}

} // namespace heapstory::constraints
