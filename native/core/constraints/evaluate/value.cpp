// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/evaluate/value.h"

#include <cmath>

namespace heapstory::constraints {

namespace {

template <class T> Truth ordered(Op op, const T &a, const T &b) {
    switch (op) {
    case Op::eq:
        return truth_of(a == b);
    case Op::ne:
        return truth_of(a != b);
    case Op::lt:
        return truth_of(a < b);
    case Op::le:
        return truth_of(a <= b);
    case Op::gt:
        return truth_of(a > b);
    default:
        return truth_of(a >= b);
    }
}

Value calculate_integers(Op op, Integer a, Integer b) {
    Integer result = 0;
    switch (op) {
    case Op::add:
        return __builtin_add_overflow(a, b, &result) ? Value() : Value::number(result);
    case Op::sub:
        return __builtin_sub_overflow(a, b, &result) ? Value() : Value::number(result);
    case Op::mul:
        return __builtin_mul_overflow(a, b, &result) ? Value() : Value::number(result);
    case Op::div:
        return b == 0 || (b == -1 && a == -a && a) ? Value() : Value::number(a / b);
    case Op::mod:
        return b == 0 ? Value() : b == -1 ? Value::number(0) : Value::number(a % b);
    case Op::bitand_:
        return Value::number(a & b);
    case Op::min:
        return Value::number(a < b ? a : b);
    default:
        return Value::number(a > b ? a : b);
    }
}

Value fraction(Op op, double a, double b) {
    switch (op) {
    case Op::add:
        return Value::of_real(a + b);
    case Op::sub:
        return Value::of_real(a - b);
    case Op::mul:
        return Value::of_real(a * b);
    case Op::div:
        return b == 0 ? Value() : Value::of_real(a / b);
    case Op::mod:
        return b == 0 ? Value() : Value::of_real(std::fmod(a, b));
    case Op::min:
        return Value::of_real(a < b ? a : b);
    case Op::max:
        return Value::of_real(a > b ? a : b);
    default:
        return Value();
    }
}

} // namespace

Truth compare(Op op, const Value &a, const Value &b) {
    if (!a.known() || !b.known())
        return Truth::unknown;
    bool equality = op == Op::eq || op == Op::ne;
    if (a.kind == ValueKind::pointer && b.kind == ValueKind::pointer) {
        if (equality)
            return truth_of(a.same(b) == (op == Op::eq));
        return ordered(op, a.address, b.address);
    }
    if (a.kind == ValueKind::pointer && b.kind == ValueKind::integer)
        return ordered(op, Integer(a.address), b.integer);
    if (a.kind == ValueKind::integer && b.kind == ValueKind::pointer)
        return ordered(op, a.integer, Integer(b.address));
    if (a.kind == ValueKind::text && b.kind == ValueKind::text)
        return ordered(op, *a.text, *b.text);
    if (!a.is_number() || !b.is_number())
        return Truth::unknown;
    if (a.kind == ValueKind::real || b.kind == ValueKind::real)
        return ordered(op, a.as_real(), b.as_real());
    return ordered(op, a.integer, b.integer);
}

Value calculate_any(Op op, const Value &x, const Value &y) {
    Value a = x.as_number(), b = y.as_number();
    if (!a.is_number() || !b.is_number())
        return Value();
    if (a.kind == ValueKind::real || b.kind == ValueKind::real)
        return fraction(op, a.as_real(), b.as_real());
    return calculate_integers(op, a.integer, b.integer);
}

Value negate(const Value &a) {
    if (a.kind == ValueKind::real)
        return Value::of_real(-a.real);
    return calculate(Op::sub, Value::number(0), a);
}

Value absolute(const Value &a) {
    if (a.kind == ValueKind::real)
        return Value::of_real(std::fabs(a.real));
    if (!a.is_number())
        return calculate(Op::add, a, Value::number(0));
    return a.integer < 0 ? negate(a) : Value::number(a.integer);
}

uint64_t hash_text(const std::string &function, const std::string &text) {
    if (function == "fnv1a64") {
        uint64_t hash = 0xcbf29ce484222325u;
        for (unsigned char c : text)
            hash = (hash ^ c) * 0x100000001b3u;
        return hash;
    }
    uint32_t hash = function == "fnv1a" ? 0x811c9dc5u : function == "djb2" ? 5381u : 0u;
    for (unsigned char c : text)
        hash = function == "fnv1a"  ? (hash ^ c) * 0x01000193u
               : function == "djb2" ? hash * 33 + c
                                    : c + (hash << 6) + (hash << 16) - hash; // sdbm
    return hash;
}

} // namespace heapstory::constraints
