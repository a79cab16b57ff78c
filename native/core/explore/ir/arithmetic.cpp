// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/ir/arithmetic.h"

#include <algorithm>

namespace heapstory::explore::ir {

uint64_t mask(int32_t bits) {
    return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

int64_t signed_of(uint64_t value, int32_t bits) {
    if (bits >= 64)
        return int64_t(value);
    uint64_t sign = uint64_t(1) << (bits - 1);
    return int64_t(((value & mask(bits)) ^ sign) - sign);
}

bool compared(Predicate how, uint64_t a, uint64_t b, int32_t bits) {
    int64_t x = signed_of(a, bits), y = signed_of(b, bits);
    switch (how) {
    case Predicate::eq:
        return a == b;
    case Predicate::ne:
        return a != b;
    case Predicate::slt:
        return x < y;
    case Predicate::sle:
        return x <= y;
    case Predicate::sgt:
        return x > y;
    case Predicate::sge:
        return x >= y;
    case Predicate::ult:
        return a < b;
    case Predicate::ule:
        return a <= b;
    case Predicate::ugt:
        return a > b;
    case Predicate::uge:
        return a >= b;
    }
    return false;
}

uint64_t modified(Modify how, uint64_t old, uint64_t by, int32_t bits) {
    int64_t x = signed_of(old, bits), y = signed_of(by, bits);
    switch (how) {
    case Modify::xchg:
        return by;
    case Modify::add:
        return old + by;
    case Modify::sub:
        return old - by;
    case Modify::band:
        return old & by;
    case Modify::bor:
        return old | by;
    case Modify::bxor:
        return old ^ by;
    case Modify::nand:
        return ~(old & by);
    case Modify::max:
        return x > y ? old : by;
    case Modify::min:
        return x < y ? old : by;
    case Modify::umax:
        return std::max(old, by);
    case Modify::umin:
        return std::min(old, by);
    }
    return 0;
}

} // namespace heapstory::explore::ir
