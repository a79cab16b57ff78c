// Values of expressions.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/plan/plan.h"

#include <cstdint>
#include <string>

namespace heapstory::constraints {

enum class ValueKind : uint8_t {
    unknown,
    boolean,
    integer,
    real,
    text,
    pointer,
    absent // an argument whose objects are not all alive
};
enum class PointerState : uint8_t { null, live, stale, wild };

struct Value {
    ValueKind kind = ValueKind::unknown;
    PointerState state = PointerState::null; // pointers
    uint32_t block = none;                   // live and stale pointers
    union {
        Integer integer = 0; // booleans are 0 and 1
        double real;
        const std::string *text; // one object per text
        uint64_t address;
    };

    static Value of(bool truth) { return number(truth, ValueKind::boolean); }
    static Value number(Integer number, ValueKind kind = ValueKind::integer) {
        Value value;
        value.kind = kind;
        value.integer = number;
        return value;
    }
    static Value of_real(double number) {
        Value value;
        value.kind = ValueKind::real;
        value.real = number;
        return value;
    }
    static Value of(const Number &number) {
        return number.is_real ? of_real(number.real) : Value::number(number.integer);
    }
    static Value pointer(PointerState state, uint64_t address, uint32_t block) {
        Value value;
        value.kind = ValueKind::pointer;
        value.state = state;
        value.address = address;
        value.block = block;
        return value;
    }
    static Value null() { return pointer(PointerState::null, 0, none); }
    static Value absent() {
        Value value;
        value.kind = ValueKind::absent;
        return value;
    }

    bool known() const { return kind != ValueKind::unknown; }
    bool is_number() const {
        return kind == ValueKind::integer || kind == ValueKind::real || kind == ValueKind::boolean;
    }
    // In arithmetic a pointer is its address.
    Value as_number() const { return kind == ValueKind::pointer ? number(address) : *this; }
    double as_real() const { return kind == ValueKind::real ? real : double(integer); }
    // The same value, as the arguments of an inconsistency are compared.
    bool same(const Value &other) const {
        if (kind != other.kind)
            return false;
        switch (kind) {
        case ValueKind::boolean:
        case ValueKind::integer:
            return integer == other.integer;
        case ValueKind::real:
            return real == other.real || (real != real && other.real != other.real);
        case ValueKind::text:
            return text == other.text;
        case ValueKind::pointer:
            return state == other.state && block == other.block && address == other.address;
        default:
            return true;
        }
    }
};

enum class Truth : uint8_t { no, yes, unknown };

inline Truth truth_of(bool value) {
    return value ? Truth::yes : Truth::no;
}
inline Value value_of(Truth truth) {
    return truth == Truth::unknown ? Value() : Value::of(truth == Truth::yes);
}

// Kleene's and the arithmetic of the language on values; UNKNOWN where an operand is.
Truth compare(Op op, const Value &a, const Value &b);
Value calculate_any(Op op, const Value &a, const Value &b);
inline Value calculate(Op op, const Value &a, const Value &b) {
    if (a.kind != ValueKind::integer || b.kind != ValueKind::integer)
        return calculate_any(op, a, b);
    switch (op) { // the most frequent ones
    case Op::min:
        return a.integer < b.integer ? a : b;
    case Op::max:
        return a.integer > b.integer ? a : b;
    default:
        return calculate_any(op, a, b);
    }
}
Value negate(const Value &a);
Value absolute(const Value &a);
uint64_t hash_text(const std::string &function, const std::string &text);

} // namespace heapstory::constraints
