// What kind of result an instruction computes from its operands.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <span>

namespace heapstory::stream {

enum class Operation : uint8_t {
    other,
    move, // the value of its operand, perhaps of another width
    // Associative ones, where the target is an operand as well. A difference counts as a sum, and
    // so does a sum of floating-point numbers, whose order is of the order of rounding.
    sum,
    product,
    conjunction,
    disjunction,
    parity,
    minimum,
    maximum
};

// The operation of the instruction at the head of some code.
Operation operation_of(std::span<const uint8_t> code);

} // namespace heapstory::stream
