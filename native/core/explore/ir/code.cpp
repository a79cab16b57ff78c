// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/ir/code.h"

#include <stdexcept>

namespace heapstory::explore::ir {
namespace {

class Reader {
  public:
    explicit Reader(const Longs &words) : words_(words) {}

    int64_t next() {
        if (at_ >= words_.size())
            throw std::invalid_argument("the program ends too early");
        return words_[at_++];
    }
    int32_t small() { return int32_t(next()); }
    size_t count() {
        int64_t found = next();
        if (found < 0 || size_t(found) > words_.size() - at_)
            throw std::invalid_argument("a list of the program is too long");
        return size_t(found);
    }
    Longs list() {
        Longs found(count());
        for (int64_t &each : found)
            each = next();
        return found;
    }

  private:
    const Longs &words_;
    size_t at_ = 0;
};

Variable variable(Reader &in) {
    Variable found{in.small(), {}};
    found.holds.resize(in.count());
    for (Initial &each : found.holds) {
        each.offset = in.small();
        each.size = in.small();
        each.value = in.next();
    }
    return found;
}

Function function(Reader &in) {
    Function found{in.small(), {}, {}};
    size_t size = in.count();
    for (size_t i = 0; i < size; ++i) {
        Instruction one{};
        one.op = Op(in.next());
        one.kind = in.next();
        one.dst = in.small();
        one.a = in.small();
        one.b = in.small();
        one.c = in.small();
        one.size = in.small();
        one.order = Order(in.next());
        one.line = in.small();
        found.code.push_back(one);
        Longs dead = in.list();
        found.dead.emplace_back(dead.begin(), dead.end());
    }
    return found;
}

Operation operation(Reader &in) {
    Operation found{};
    found.function = in.small();
    found.method = Method(in.next());
    found.argument = in.next() != 0;
    found.role = in.small();
    found.says = Says(in.next());
    found.yes = in.next();
    found.no = in.next();
    found.spread = in.next();
    found.lost = in.list();
    return found;
}

} // namespace

Code Code::read(const Longs &words) {
    Reader in(words);
    Code code{};
    code.strong = in.next() != 0;
    code.capacity = in.next();
    code.keyed = in.next() != 0;
    code.named = in.next() != 0;
    code.set_up = in.small();
    code.constants = in.list();
    for (size_t left = in.count(); left > 0; --left)
        code.variables.push_back(variable(in));
    for (size_t left = in.count(); left > 0; --left)
        code.functions.push_back(function(in));
    for (const Function &each : code.functions)
        for (const Instruction &one : each.code)
            code.frees =
                code.frees || (one.op == Op::library && (Library(one.kind) == Library::release ||
                                                         Library(one.kind) == Library::reallocate));
    for (size_t left = in.count(); left > 0; --left)
        code.operations.push_back(operation(in));
    return code;
}

} // namespace heapstory::explore::ir
