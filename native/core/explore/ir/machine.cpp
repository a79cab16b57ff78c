// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/ir/machine.h"

#include "explore/ir/arithmetic.h"
#include "explore/visited.h"

#include <algorithm>

namespace heapstory::explore::ir {
namespace {

constexpr int most_steps = 200000; // that nobody notices, in a row

} // namespace

int32_t Choices::choose(int32_t count) {
    if (count <= 1)
        return 0;
    if (at == made.size())
        made.emplace_back(dice == nullptr ? 0 : dice->low(count), count);
    return made[at++].first;
}

bool Choices::next() {
    at = 0;
    while (!made.empty()) {
        if (++made.back().first < made.back().second)
            return true;
        made.pop_back();
    }
    return false;
}

// -- runs -----------------------------------------------------------------------------------------

Memory Machine::initial() const {
    Memory memory;
    for (size_t i = 0; i < code_.variables.size(); ++i) {
        const Variable &variable = code_.variables[i];
        Object object{uint32_t(i), uint32_t(variable.size), -1, false, true};
        for (const Initial &each : variable.holds) {
            uint64_t value = uint64_t(each.value) & mask(8 * each.size);
            Message first{{value, 0, false}, {}, false, -1};
            object.cells.push_back({uint32_t(each.offset), uint32_t(each.size), {first}, {}});
        }
        memory.add(std::move(object));
    }
    return memory;
}

void Machine::call(Memory &, Thread &thread, int32_t function,
                   const std::vector<Value> &arguments) {
    const Function &code = code_.functions[size_t(function)];
    thread.frames.assign(1, {function, 0, 0, -1, thread.slots});
    thread.registers.assign(size_t(code.registers), Value{0, 0, all_unset});
    std::copy(arguments.begin(), arguments.end(), thread.registers.begin());
    thread.given.clear();
    thread.exception = thread.raised = {};
}

void Machine::glide(Memory &memory, Thread &thread, int number, Choices &choices, bool asks) {
    memory_ = &memory, thread_ = &thread, choices_ = &choices, number_ = number;
    for (int steps = 0; !thread.frames.empty(); ++steps) {
        Frame &frame = thread.frames.back();
        base_ = frame.base;
        const Function &code = code_.functions[size_t(frame.function)];
        const Instruction &one = code.code[size_t(frame.at)];
        if (visible(one) || (!asks && asks_for_memory(one))) {
            for (int32_t dead : code.dead[size_t(frame.at)])
                reg(dead) = {};
            return;
        }
        if (steps == most_steps) {
            fault(Trouble::endless, one.line);
            thread.frames.clear();
            return;
        }
        ++frame.at;
        if (!execute(one)) { // the path ends here
            thread.frames.clear();
            thread.given.clear();
        }
    }
}

bool Machine::step(Memory &memory, Thread &thread, int number, Choices &choices) {
    memory_ = &memory, thread_ = &thread, choices_ = &choices, number_ = number;
    Frame &frame = thread.frames.back();
    base_ = frame.base;
    const Instruction &one = code_.functions[size_t(frame.function)].code[size_t(frame.at)];
    uint64_t place = uint64_t(frame.function) << 32 | uint64_t(uint32_t(frame.at));
    place = mixed(place, thread.frames.size());
    uint64_t address = one.op == Op::fence ? 0 : get(one.op == Op::library ? one.b : one.a).low;
    ++frame.at;
    return execute(one) && is_patient(one, place, address);
}

// What an instruction read, if it changed nothing that others can see.
std::optional<uint64_t> Machine::only_read(const Instruction &one) {
    switch (one.op) {
    case Op::load:
        return reg(one.dst).low;
    case Op::exchange:
        return reg(one.dst + 1).low == 0 ? std::optional(reg(one.dst).low) : std::nullopt;
    case Op::modify: {
        bool same = Modify(one.kind) == Modify::xchg && one.dst >= 0;
        return same && reg(one.dst).low == get(one.b).low ? std::optional(reg(one.dst).low)
                                                          : std::nullopt;
    }
    case Op::library: {
        bool tried = Library(one.kind) == Library::try_lock && one.dst >= 0;
        return tried && reg(one.dst).low != 0 ? std::optional(reg(one.dst).low) : std::nullopt;
    }
    default:
        return std::nullopt;
    }
}

// Whether a thread goes on: not for ever where it only counts how often it saw nothing new.
bool Machine::is_patient(const Instruction &one, uint64_t place, uint64_t address) {
    Patience &patience = thread_->patience;
    if (one.op == Op::fence)
        return true;
    auto value = only_read(one);
    if (!value) {
        patience = {};
        return true;
    }
    Patience::Read read{place, address, *value};
    auto end = patience.reads.begin() + std::ptrdiff_t(patience.count);
    auto before = std::find_if(patience.reads.begin(), end,
                               [&](const Patience::Read &each) { return each.place == place; });
    if (before != end && *before != read) {
        patience = {};
        before = end = patience.reads.begin();
    }
    if (before != end && before != patience.reads.begin())
        return true;
    if (before == end && patience.count == patience.reads.size())
        patience = {};
    uint64_t registers = 0;
    for (const Value &each : thread_->registers)
        registers = mixed(registers ^ each.low, 0xa0761d6478bd642f) + each.unset;
    if (before == end) {
        patience.reads[patience.count++] = read;
        if (patience.count == 1)
            patience.registers = registers;
        return true;
    }
    if (registers != patience.registers)
        ++patience.rounds;
    patience.registers = registers;
    bool waits = patience.rounds > most_rounds;
    waited = waited || waits;
    return !waits;
}

bool Machine::asks_for_memory(const Instruction &one) const {
    auto kind = Library(one.kind);
    return code_.frees && number_ != set_up_thread && one.op == Op::library &&
           (kind == Library::allocate || kind == Library::allocate_clear ||
            kind == Library::reallocate);
}

bool Machine::visible(const Instruction &one) {
    if (number_ == set_up_thread)
        return false;
    Value address;
    switch (one.op) {
    case Op::load:
    case Op::store:
    case Op::modify:
    case Op::exchange:
        if (one.order == Order::plain)
            return false;
        address = get(one.a);
        break;
    case Op::fence:
        return one.order == Order::strong && !code_.strong;
    case Op::library:
        if (Library(one.kind) != Library::lock && Library(one.kind) != Library::unlock &&
            Library(one.kind) != Library::try_lock)
            return false;
        address = get(one.b);
        break;
    default:
        return false;
    }
    const Object *object = memory_->find(uint32_t(object_at(address.low)));
    return object == nullptr || object->owner != number_;
}

// Headers have code for every order; what counts is what runs.
bool Machine::is_weaker(const Instruction &one) const {
    auto weak = [](Order order) { return order != Order::plain && order != Order::strong; };
    bool failing = one.op == Op::exchange && weak(Order(one.kind >> 8));
    bool accesses = one.op == Op::load || one.op == Op::store || one.op == Op::modify ||
                    one.op == Op::exchange || one.op == Op::fence;
    return accesses && (failing || weak(one.order));
}

bool Machine::execute(const Instruction &one) {
    if (code_.strong && number_ != set_up_thread && is_weaker(one))
        fault(Trouble::weaker, one.line);
    switch (one.op) {
    case Op::move:
        set(one.dst, get(one.a));
        break;
    case Op::binary:
        binary(one);
        break;
    case Op::compare: {
        Value a = get(one.a), b = get(one.b);
        set(one.dst, {compared(Predicate(one.kind), a.low, b.low, one.size), 0,
                      unset_if(a.unset || b.unset)});
        break;
    }
    case Op::select: {
        Value tested = plain(one.a, one.line);
        set(one.dst, get(tested.low & 1 ? one.b : one.c));
        break;
    }
    case Op::truncate: {
        Value a = get(one.a);
        auto bytes = uint64_t(one.size + 7) / 8;
        set(one.dst, {a.low & mask(one.size), 0, Unset(a.unset & first_bytes(bytes))});
        break;
    }
    case Op::extend: {
        Value a = get(one.a);
        set(one.dst,
            {uint64_t(signed_of(a.low, one.size)) & mask(one.b), 0, unset_if(a.unset != 0)});
        break;
    }
    case Op::index: {
        Value a = get(one.a), b = get(one.b);
        auto offset = uint64_t(signed_of(b.low, one.size)) * uint64_t(one.kind);
        set(one.dst, {a.low + offset, 0, unset_if(a.unset || b.unset)});
        break;
    }
    case Op::load:
        load(one);
        break;
    case Op::store:
        store(one);
        break;
    case Op::modify:
        modify(one);
        break;
    case Op::exchange:
        exchange(one);
        break;
    case Op::fence:
        fence(one);
        break;
    case Op::jump:
        thread_->frames.back().at = one.a;
        break;
    case Op::branch: {
        Value tested = plain(one.a, one.line);
        thread_->frames.back().at = tested.low & 1 ? one.b : one.c;
        break;
    }
    case Op::call:
        enter(one, int32_t(one.kind));
        break;
    case Op::call_by_address: {
        uint64_t object = object_at(plain(one.a, one.line).low);
        if (object < first_function || object - first_function >= code_.functions.size()) {
            fault(Trouble::wild, one.line);
            return false;
        }
        enter(one, int32_t(object - first_function));
        break;
    }
    case Op::give:
        give(one);
        break;
    case Op::allot:
        allot(one);
        break;
    case Op::library:
        return library(one);
    case Op::unknown:
        fault(Trouble::unknown, one.line, int32_t(one.kind));
        return false;
    case Op::landing:
        break;
    }
    return true;
}

// -- values ---------------------------------------------------------------------------------------

Value Machine::get(int32_t operand) {
    if (operand < 0)
        return {uint64_t(code_.constants[size_t(-operand - 1)]), 0, false};
    return reg(operand);
}

// A value that decides something.
Value Machine::plain(int32_t operand, int32_t line) {
    Value value = get(operand);
    if (value.unset)
        fault(Trouble::no_value, line);
    return value;
}

void Machine::fault(Trouble what, int32_t line, int32_t detail) {
    faults.push_back({what, line_of(line), -1, detail});
}

// Code that is not the user's has no lines: then that of the call of it counts.
int32_t Machine::line_of(int32_t line) const {
    if (thread_ == nullptr)
        return line;
    const auto &frames = thread_->frames;
    for (size_t i = frames.size(); line == 0 && i-- > 0;) {
        const auto &code = code_.functions[size_t(frames[i].function)].code;
        line = code[size_t(std::max(frames[i].at - 1, 0))].line;
    }
    return line;
}

void Machine::note(int32_t kind, int32_t line, uint64_t address, int64_t value) {
    if (trail)
        trail->push_back({number_, line_of(line), kind, address, value});
}

void Machine::binary(const Instruction &one) {
    Value x = get(one.a), y = get(one.b);
    uint64_t a = x.low, b = y.low, found = 0;
    int32_t bits = one.size;
    int64_t s = signed_of(a, bits), t = signed_of(b, bits);
    bool divides = false;
    switch (Binary(one.kind)) {
    case Binary::add:
        found = a + b;
        break;
    case Binary::sub:
        found = a - b;
        break;
    case Binary::mul:
        found = a * b;
        break;
    case Binary::band:
        found = a & b;
        break;
    case Binary::bor:
        found = a | b;
        break;
    case Binary::bxor:
        found = a ^ b;
        break;
    case Binary::shl:
        found = b < 64 ? a << b : 0;
        break;
    case Binary::lshr:
        found = b < 64 ? a >> b : 0;
        break;
    case Binary::ashr:
        found = uint64_t(s >> std::min<uint64_t>(b, 63));
        break;
    default:
        divides = true;
    }
    if (divides) {
        if (b == 0 || (t == -1 && s == INT64_MIN)) {
            fault(Trouble::wild, one.line);
            b = 1, t = 1;
        }
        switch (Binary(one.kind)) {
        case Binary::sdiv:
            found = uint64_t(s / t);
            break;
        case Binary::udiv:
            found = a / b;
            break;
        case Binary::srem:
            found = uint64_t(s % t);
            break;
        default:
            found = a % b;
        }
    }
    set(one.dst, {found & mask(bits), 0, unset_bytes(Binary(one.kind), x, y, bits)});
}

// Of what programs do to put bytes together and take them apart, each byte counts for itself.
Unset Machine::unset_bytes(Binary how, const Value &x, const Value &y, int32_t bits) {
    if (x.unset == 0 && y.unset == 0)
        return 0;
    auto all = first_bytes(uint64_t(bits + 7) / 8);
    auto cleared = [](uint64_t by) {
        Unset found = 0;
        for (unsigned i = 0; i < 8; ++i)
            if ((by >> (8 * i) & 255) == 0)
                found |= Unset(1U << i);
        return found;
    };
    switch (how) {
    case Binary::band:
        if (y.unset == 0)
            return x.unset & Unset(~cleared(y.low)) & all;
        break;
    case Binary::bor:
    case Binary::bxor:
        return (x.unset | y.unset) & all;
    case Binary::shl:
        if (y.unset == 0 && y.low % 8 == 0 && y.low < 64)
            return Unset(x.unset << (y.low / 8)) & all;
        break;
    case Binary::lshr:
        if (y.unset == 0 && y.low % 8 == 0 && y.low < 64)
            return Unset((x.unset & all) >> (y.low / 8));
        break;
    default:
        break;
    }
    return all_unset;
}

// -- calls ----------------------------------------------------------------------------------------

void Machine::enter(const Instruction &one, int32_t function) {
    const Function &code = code_.functions[size_t(function)];
    std::vector<Value> arguments;
    for (int32_t i = 0; i < one.c; ++i)
        arguments.push_back(reg(one.b + i));
    Frame &caller = thread_->frames.back();
    const Function &calling = code_.functions[size_t(caller.function)];
    for (int32_t dead : calling.dead[size_t(caller.at - 1)])
        reg(dead) = {};
    auto base = int32_t(thread_->registers.size());
    thread_->frames.push_back({function, 0, base, one.dst, thread_->slots});
    thread_->registers.resize(size_t(base + code.registers), Value{0, 0, all_unset});
    size_t taken = std::min(arguments.size(), size_t(code.registers));
    std::copy_n(arguments.begin(), taken, thread_->registers.begin() + base);
}

void Machine::give(const Instruction &one) {
    std::vector<Value> given;
    for (int32_t i = 0; i < one.c; ++i)
        given.push_back(reg(one.b + i));
    Frame done = thread_->frames.back();
    leave();
    if (thread_->frames.empty()) {
        thread_->given = given;
        return;
    }
    base_ = thread_->frames.back().base;
    if (done.result >= 0)
        for (size_t i = 0; i < given.size(); ++i)
            set(done.result + int32_t(i), given[i]);
}

void Machine::leave() {
    Frame done = thread_->frames.back();
    thread_->frames.pop_back();
    thread_->registers.resize(size_t(done.base));
    for (; thread_->slots > done.slots; --thread_->slots) {
        uint64_t id = first_stack + of_thread * uint64_t(number_) + uint64_t(thread_->slots);
        if (Object *object = memory_->change(uint32_t(id)))
            memory_->forget_cells(*object);
        memory_->remove(uint32_t(id));
    }
}

// An exception goes on where the nearest call is that can land. False: it leaves all.
bool Machine::unwind(int32_t line) {
    for (line = line_of(line); !thread_->frames.empty(); leave()) {
        Frame &frame = thread_->frames.back();
        const Instruction &next = code_.functions[size_t(frame.function)].code[size_t(frame.at)];
        if (next.op == Op::landing) {
            frame.at = next.a;
            base_ = frame.base;
            return true;
        }
    }
    fault(Trouble::unknown, line, 3);
    return false;
}

void Machine::allot(const Instruction &one) {
    ++thread_->slots;
    uint64_t id = first_stack + of_thread * uint64_t(number_) + uint64_t(thread_->slots);
    memory_->add({uint32_t(id), uint32_t(get(one.a).low), int8_t(number_), false, false});
    set(one.dst, {address_of(id), 0, false});
}

} // namespace heapstory::explore::ir
