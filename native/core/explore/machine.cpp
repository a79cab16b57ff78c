// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/machine.h"

namespace heapstory::explore {
namespace {

bool holds(Compare op, int32_t left, int32_t right) {
    switch (op) {
    case Compare::equal:
        return left == right;
    case Compare::unequal:
        return left != right;
    case Compare::less:
        return left < right;
    case Compare::less_equal:
        return left <= right;
    case Compare::greater:
        return left > right;
    case Compare::greater_equal:
        return left >= right;
    }
    return false;
}

} // namespace

Memory Machine::initial() {
    Memory memory = Memory::empty(program_);
    Words locals(size_t(program_.init_locals));
    memory_ = &memory;
    runner_ = {0, locals, 0, nullptr};
    place_ = 0;
    stack_.clear();
    execute(program_.init.data(), program_.init.data() + program_.init.size());
    return memory;
}

std::vector<Words> Machine::choices(const Memory &memory, const Step &step) {
    if (step.picks.empty() && !(program_.reuse && step.reuses >= 0))
        return {{0}};
    std::vector<Words> found{{}};
    Words nodes;
    auto extend = [&] {
        std::vector<Words> longer;
        for (const Words &choice : found)
            for (int32_t node : nodes) {
                longer.push_back(choice);
                longer.back().push_back(node);
            }
        found.swap(longer);
    };
    for (const Pick &pick : step.picks) {
        memory.reachable(program_, pick.structure, nodes);
        extend();
    }
    nodes.assign(1, 0);
    if (program_.reuse && step.reuses >= 0)
        for (int32_t node = 1; node <= memory.nodes(); ++node)
            if (memory.freed(node) && memory.kind(node) == step.reuses)
                nodes.push_back(node);
    extend();
    return found;
}

const Outcome &Machine::run(Memory &memory, const Runner &runner, const Step &step,
                            const Words &choice) {
    memory_ = &memory;
    runner_ = runner;
    place_ = choice.back();
    stack_.clear();
    outcome_.visible = !step.picks.empty();
    outcome_.fault = Fault::none;
    outcome_.answered = false;
    outcome_.answer.clear();
    for (size_t i = 0; i < step.picks.size(); ++i)
        runner_.locals[size_t(step.picks[i].local)] = choice[i];
    outcome_.ran = execute(step.code.data(), step.code.data() + step.code.size()) == End::ran;
    return outcome_;
}

int32_t Machine::pop() {
    int32_t value = stack_.back();
    stack_.pop_back();
    return value;
}

bool Machine::own(int32_t node) const {
    return runner_.owners && (*runner_.owners)[size_t(node)] == runner_.mark;
}

bool Machine::follows(int32_t node) {
    if (node == 0 || memory_->freed(node))
        outcome_.fault = node == 0 ? Fault::null : Fault::freed;
    return node != 0;
}

int32_t Machine::allocate(int32_t kind) {
    int32_t node = place_;
    place_ = 0;
    if (node != 0) // what it held stays in it, if anybody knows
        memory_->set_freed(node, false);
    else
        node = memory_->add(program_, kind);
    if (!program_.cleared)
        for (size_t i = 0; i < program_.structs[size_t(kind)].size(); ++i)
            memory_->field(node, int32_t(i)) = unset;
    outcome_.visible |= program_.reuse;
    if (runner_.owners) {
        runner_.owners->resize(size_t(memory_->nodes()) + 1);
        (*runner_.owners)[size_t(node)] = runner_.mark;
    }
    return node;
}

// What others can reach, and all behind it, is not its own any more.
void Machine::publish(int32_t node) {
    if (node == 0 || !own(node))
        return;
    (*runner_.owners)[size_t(node)] = 0;
    memory_->links(program_, node, [&](int32_t next) { publish(next); });
}

void Machine::store(int32_t node, int32_t number, int32_t value) {
    memory_->field(node, number) = value;
    if (!own(node)) {
        outcome_.visible = true;
        if (program_.structs[size_t(memory_->kind(node))][size_t(number)].pointer)
            publish(value);
    }
}

Machine::End Machine::no_node(int32_t kind, int32_t slot, const int32_t *code, const int32_t *end) {
    outcome_.visible = true;
    Words nodes;
    memory_->reachable(program_, kind, nodes);
    for (int32_t node : nodes) {
        runner_.locals[size_t(slot)] = node;
        End one = execute(code, end);
        if (one != End::failed)
            return End::blocked;
    }
    runner_.locals[size_t(slot)] = 0;
    return End::ran;
}

Machine::End Machine::execute(const int32_t *code, const int32_t *end) {
    while (code < end) {
        Code op = Code(code[0]);
        int32_t operand = code[1];
        code += 2;
        switch (op) {
        case Code::constant:
            stack_.push_back(operand);
            break;
        case Code::own_id:
            stack_.push_back(runner_.id);
            break;
        case Code::local:
            stack_.push_back(runner_.locals[size_t(operand)]);
            break;
        case Code::global:
            outcome_.visible |= !program_.scalars[size_t(operand)].settled;
            stack_.push_back(memory_->scalars[size_t(operand)]);
            break;
        case Code::field: {
            int32_t node = pop();
            if (!follows(node))
                return End::blocked;
            bool settled = program_.structs[size_t(memory_->kind(node))][size_t(operand)].settled;
            outcome_.visible |= !settled && !own(node);
            stack_.push_back(memory_->field(node, operand));
            if (stack_.back() == unset) {
                outcome_.fault = Fault::no_value;
                return End::blocked;
            }
            break;
        }
        case Code::index:
            outcome_.visible = true;
            stack_.push_back(memory_->element(operand, pop()));
            break;
        case Code::add:
        case Code::subtract: {
            int32_t right = pop();
            stack_.back() += op == Code::add ? right : -right;
            break;
        }
        case Code::set_local:
            runner_.locals[size_t(operand)] = pop();
            break;
        case Code::set_global:
            outcome_.visible = true;
            memory_->scalars[size_t(operand)] = pop();
            if (program_.scalars[size_t(operand)].pointer)
                publish(memory_->scalars[size_t(operand)]);
            break;
        case Code::set_field: {
            int32_t node = pop();
            if (!follows(node))
                return End::blocked;
            store(node, operand, pop());
            break;
        }
        case Code::set_index: {
            int32_t index = pop(), value = pop();
            outcome_.visible = true;
            memory_->set_element(operand, index, value);
            if (program_.arrays[size_t(operand)])
                publish(value);
            break;
        }
        case Code::allocate:
            stack_.push_back(allocate(operand));
            break;
        case Code::release: {
            int32_t node = pop();
            if (program_.reuse && node != 0) {
                outcome_.visible = true;
                publish(node);
                if (memory_->freed(node))
                    outcome_.fault = Fault::freed_twice;
                memory_->set_freed(node, true);
            }
            break;
        }
        case Code::drop:
            pop();
            break;
        case Code::test: {
            int32_t right = pop(), left = pop();
            if (!holds(Compare(operand), left, right))
                return End::failed;
            break;
        }
        case Code::answer:
            outcome_.answered = true;
            outcome_.answer.assign(stack_.end() - operand, stack_.end());
            stack_.resize(stack_.size() - size_t(operand));
            break;
        case Code::none: {
            int32_t slot = code[0], words = code[1];
            code += 2;
            if (no_node(operand, slot, code, code + words) != End::ran)
                return End::blocked;
            code += words;
            break;
        }
        }
    }
    return End::ran;
}

} // namespace heapstory::explore
