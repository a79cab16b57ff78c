// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/program.h"

#include <algorithm>
#include <stdexcept>

namespace heapstory::explore {
namespace {

class Reader {
  public:
    explicit Reader(const Words &words) : words_(words) {}

    int32_t next() {
        if (at_ >= words_.size())
            throw std::invalid_argument("a program that ends too early");
        return words_[at_++];
    }

    size_t count() {
        int32_t number = next();
        if (number < 0 || size_t(number) > words_.size())
            throw std::invalid_argument("a program with an impossible count");
        return size_t(number);
    }

    Words code() {
        Words found(count());
        for (int32_t &word : found)
            word = next();
        return found;
    }

    std::vector<bool> flags(size_t size) {
        std::vector<bool> found(size);
        for (size_t i = 0; i < size; ++i)
            found[i] = next() != 0;
        return found;
    }

    bool ended() const { return at_ == words_.size(); }

  private:
    const Words &words_;
    size_t at_ = 0;
};

Step read_step(Reader &in) {
    Step step;
    step.loop = in.next() != 0;
    step.open = in.next() != 0;
    step.reuses = in.next();
    step.picks.resize(in.count());
    for (Pick &pick : step.picks) {
        pick.local = in.next();
        pick.structure = in.next();
    }
    step.code = in.code();
    return step;
}

Operation read_operation(Reader &in) {
    Operation operation;
    operation.method = in.next();
    operation.opaque = in.flags(in.count());
    operation.pointer = in.flags(in.count());
    size_t steps = in.count();
    for (size_t i = 0; i <= steps; ++i)
        operation.live.push_back(in.flags(operation.pointer.size()));
    for (size_t i = 0; i < steps; ++i)
        operation.steps.push_back(read_step(in));
    return operation;
}

} // namespace

Program Program::read(const Words &words) {
    Reader in(words);
    Program program;
    program.reuse = in.next() != 0;
    program.cleared = in.next() != 0;
    program.structs.resize(in.count());
    for (auto &fields : program.structs) {
        fields.resize(in.count());
        for (Field &field : fields) {
            field.pointer = in.next() != 0;
            field.settled = in.next() != 0;
        }
    }
    program.scalars.resize(in.count());
    for (Scalar &scalar : program.scalars) {
        scalar.pointer = in.next() != 0;
        scalar.settled = in.next() != 0;
        scalar.object = in.next();
        scalar.initial = in.next();
    }
    program.arrays = in.flags(in.count());
    program.init_locals = in.next();
    program.init = in.code();
    size_t operations = in.count();
    program.most_locals = size_t(std::max(program.init_locals, 0));
    for (size_t i = 0; i < operations; ++i) {
        program.operations.push_back(read_operation(in));
        program.most_locals =
            std::max(program.most_locals, program.operations.back().pointer.size());
    }
    if (!in.ended())
        throw std::invalid_argument("a program with words behind its end");
    return program;
}

} // namespace heapstory::explore
