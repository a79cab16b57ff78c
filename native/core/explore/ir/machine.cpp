// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/ir/machine.h"

#include <algorithm>

namespace heapstory::explore::ir {
namespace {

constexpr int most_steps = 200000; // that nobody notices, in a row
constexpr uint64_t tags = 7;       // low bits of a pointer that programs use for marks

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

bool acquires(Order order) {
    return order == Order::acquire || order == Order::both || order == Order::strong;
}
bool releases(Order order) {
    return order == Order::release || order == Order::both || order == Order::strong;
}

uint64_t object_at(uint64_t address) {
    return address < address_of(0) ? ~uint64_t(0) : (address - address_of(0)) >> 24;
}

} // namespace

int32_t Choices::choose(int32_t count) {
    if (count <= 1)
        return 0;
    if (at == made.size())
        made.emplace_back(0, count);
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
    thread.registers.assign(size_t(code.registers), Value{0, 0, true});
    std::copy(arguments.begin(), arguments.end(), thread.registers.begin());
    thread.given.clear();
}

void Machine::glide(Memory &memory, Thread &thread, int number, Choices &choices) {
    memory_ = &memory, thread_ = &thread, choices_ = &choices, number_ = number;
    for (int steps = 0; !thread.frames.empty(); ++steps) {
        Frame &frame = thread.frames.back();
        base_ = frame.base;
        const Function &code = code_.functions[size_t(frame.function)];
        const Instruction &one = code.code[size_t(frame.at)];
        if (visible(one)) {
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
    ++frame.at;
    return execute(one);
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

bool Machine::execute(const Instruction &one) {
    switch (one.op) {
    case Op::move:
        set(one.dst, get(one.a));
        break;
    case Op::binary:
        binary(one);
        break;
    case Op::compare: {
        Value a = get(one.a), b = get(one.b);
        set(one.dst,
            {compared(Predicate(one.kind), a.low, b.low, one.size), 0, a.unset || b.unset});
        break;
    }
    case Op::select: {
        Value tested = plain(one.a, one.line);
        set(one.dst, get(tested.low & 1 ? one.b : one.c));
        break;
    }
    case Op::truncate: {
        Value a = get(one.a);
        set(one.dst, {a.low & mask(one.size), 0, a.unset});
        break;
    }
    case Op::extend: {
        Value a = get(one.a);
        set(one.dst, {uint64_t(signed_of(a.low, one.size)) & mask(one.b), 0, a.unset});
        break;
    }
    case Op::index: {
        Value a = get(one.a), b = get(one.b);
        auto offset = uint64_t(signed_of(b.low, one.size)) * uint64_t(one.kind);
        set(one.dst, {a.low + offset, 0, a.unset || b.unset});
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
    faults.push_back({what, line, -1, detail});
}

void Machine::note(int32_t kind, int32_t line, uint64_t address, int64_t value) {
    if (trail)
        trail->push_back({number_, line, kind, address, value});
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
    set(one.dst, {found & mask(bits), 0, x.unset || y.unset});
}

// -- memory ---------------------------------------------------------------------------------------

Machine::Spot Machine::spot(const Value &address, uint32_t size, int32_t line) {
    if (address.unset)
        fault(Trouble::no_value, line);
    uint64_t id = object_at(address.low);
    uint64_t offset = address.low - address_of(id == ~uint64_t(0) ? 0 : id);
    if (address.low < 4096) {
        fault(Trouble::null, line);
        return {nullptr, nullptr};
    }
    Object *object = id <= UINT32_MAX ? memory_->change(uint32_t(id)) : nullptr;
    if (object == nullptr || offset + size > object->size) {
        fault(Trouble::wild, line);
        return {nullptr, nullptr};
    }
    if (object->freed)
        fault(Trouble::freed, line);
    if (object->owner >= 0 && object->owner != number_)
        fault(Trouble::hidden, line);
    Cell *cell = memory_->cell(*object, uint32_t(offset), size);
    if (cell == nullptr)
        fault(Trouble::unknown, line, 0);
    return {object, cell};
}

// Looks for accesses that this one races with, and leaves its own mark.
void Machine::mark(const Spot &spot, Order order, bool writes, int32_t line) {
    if (number_ == set_up_thread)
        return;
    Marks &marks = spot.cell->marks;
    Clock &clock = memory_->watchers[size_t(number_)].now.clock;
    bool plain = order == Order::plain;
    for (size_t t = 0; t < clock.size() && spot.object->owner < 0; ++t) {
        if (int(t) == number_)
            continue;
        auto unordered = [&](const Clock &when) { return when[t] > clock[t]; };
        if (unordered(marks.plain_write) || (plain && unordered(marks.write)) ||
            (writes && unordered(marks.plain_read)) || (writes && plain && unordered(marks.read)))
            fault(Trouble::race, line);
    }
    auto own = size_t(number_);
    if (clock[own] == 0)
        clock[own] = 1;
    Clock &kept = writes ? (plain ? marks.plain_write : marks.write)
                         : (plain ? marks.plain_read : marks.read);
    kept[own] = clock[own];
}

// The oldest message that this thread may read.
size_t Machine::oldest(const Spot &spot, Order order) {
    size_t newest = spot.cell->messages.size() - 1;
    if (order == Order::plain || spot.object->owner >= 0 || number_ == set_up_thread)
        return newest;
    Key key = key_of(spot.object->id, spot.cell->offset);
    size_t found = memory_->watchers[size_t(number_)].now.of(key);
    return order == Order::strong ? std::max<size_t>(found, memory_->strong_sight.of(key)) : found;
}

// Whether a read-modify-write has read a message already.
bool Machine::changed(const Spot &spot, size_t message) {
    const auto &messages = spot.cell->messages;
    return message + 1 < messages.size() && messages[message + 1].attached;
}

Value Machine::read(const Spot &spot, size_t at, Order order) {
    Watcher &watcher = memory_->watchers[size_t(number_)];
    const Message &message = spot.cell->messages[at];
    watcher.now.see(key_of(spot.object->id, spot.cell->offset), uint16_t(at));
    if (order != Order::plain) {
        watcher.acquired.join(message.sight);
        if (acquires(order))
            watcher.now.join(message.sight);
    }
    return message.value;
}

// Where a write that is not a read-modify-write goes: behind all that this thread has seen.
size_t Machine::place_of_write(const Spot &spot, Order order) {
    auto &messages = spot.cell->messages;
    if (order == Order::plain || spot.object->owner >= 0 || number_ == set_up_thread)
        return messages.size();
    std::vector<size_t> places{messages.size()};
    for (size_t at = messages.size() - 1; at > oldest(spot, order); --at)
        if (!messages[at].attached)
            places.push_back(at);
    return places[size_t(choices_->choose(int32_t(places.size())))];
}

// A release sequence goes on with what the same thread writes, and with what changes it.
void Machine::go_on(const Spot &spot, Message &message, size_t at) const {
    const auto &messages = spot.cell->messages;
    if (message.attached)
        message.sight.join(messages[at - 1].sight);
    for (size_t i = std::min(at, messages.size()); i-- > 0;)
        if (messages[i].writer == number_) {
            message.sight.join(messages[i].sight);
            return;
        }
}

void Machine::write(const Spot &spot, Value value, Order order, size_t at, bool attached) {
    Watcher &watcher = memory_->watchers[size_t(number_)];
    Key key = key_of(spot.object->id, spot.cell->offset);
    auto &messages = spot.cell->messages;
    Message message{value, {}, attached, int8_t(number_)};
    if (order != Order::plain) {
        message.sight = releases(order) ? watcher.now : watcher.released;
        go_on(spot, message, at);
    }
    if (code_.strong || number_ == set_up_thread) {
        message.sight.seen.clear();
        message.attached = false;
        messages.assign(1, std::move(message));
    } else if (spot.object->owner >= 0 && messages.size() == 2) {
        messages[1] = std::move(message); // nobody has seen the one before
    } else {
        memory_->insert(spot.object->id, *spot.cell, at, std::move(message));
        watcher.now.see(key, uint16_t(at));
        watcher.acquired.see(key, uint16_t(at));
        if (order == Order::strong)
            memory_->strong_sight.see(key, uint16_t(at));
    }
    if (releases(order) && number_ != set_up_thread)
        ++watcher.now.clock[size_t(number_)];
    publish(value, *spot.object);
}

void Machine::publish(const Value &value, const Object &into) {
    if (into.owner >= 0)
        return;
    publish_object(value.low);
    publish_object(value.high);
}

void Machine::publish_object(uint64_t address) {
    uint64_t id = object_at(address & ~tags & mask(48));
    const Object *object = id <= UINT32_MAX ? memory_->find(uint32_t(id)) : nullptr;
    if (object == nullptr || object->owner < 0)
        return;
    memory_->change(uint32_t(id))->owner = -1;
    object = memory_->find(uint32_t(id));
    for (const Cell &cell : object->cells)
        for (const Message &message : cell.messages)
            publish(message.value, *object);
}

void Machine::load(const Instruction &one) {
    Value address = get(one.a);
    Spot at = spot(address, uint32_t(one.size), one.line);
    if (at.cell == nullptr) {
        set(one.dst, {0, 0, true});
        return;
    }
    mark(at, one.order, false, one.line);
    size_t newest = at.cell->messages.size() - 1, from = oldest(at, one.order);
    // The newest first: most histories are found there.
    size_t which = newest - size_t(choices_->choose(int32_t(newest - from + 1)));
    Value value = read(at, which, one.order);
    set(one.dst, value);
    if (one.order != Order::plain)
        note(1, one.line, address.low, int64_t(value.low));
}

void Machine::store(const Instruction &one) {
    Value address = get(one.a), value = get(one.b);
    Spot at = spot(address, uint32_t(one.size), one.line);
    if (at.cell == nullptr)
        return;
    if (one.size < 8)
        value.low &= mask(8 * one.size);
    mark(at, one.order, true, one.line);
    write(at, value, one.order, place_of_write(at, one.order), false);
    if (one.order != Order::plain)
        note(2, one.line, address.low, int64_t(value.low));
}

void Machine::modify(const Instruction &one) {
    Value address = get(one.a), by = get(one.b);
    Spot at = spot(address, uint32_t(one.size), one.line);
    if (at.cell == nullptr) {
        set(one.dst, {0, 0, true});
        return;
    }
    mark(at, one.order, true, one.line);
    std::vector<size_t> some; // no two may change the same message
    for (size_t m = at.cell->messages.size(); m-- > oldest(at, one.order);)
        if (!changed(at, m))
            some.push_back(m);
    size_t which = some[size_t(choices_->choose(int32_t(some.size())))];
    Value old = read(at, which, one.order);
    int32_t bits = 8 * one.size;
    Value made{modified(Modify(one.kind), old.low, by.low, bits) & mask(bits), 0,
               by.unset || (old.unset && Modify(one.kind) != Modify::xchg)};
    if (Modify(one.kind) == Modify::xchg)
        made = by;
    write(at, made, one.order, which + 1, true);
    set(one.dst, old);
    note(3, one.line, address.low, int64_t(made.low));
}

void Machine::exchange(const Instruction &one) {
    Value address = get(one.a), expected = get(one.b), desired = get(one.c);
    Spot at = spot(address, uint32_t(one.size), one.line);
    if (at.cell == nullptr) {
        set(one.dst, {0, 0, true});
        set(one.dst + 1, {0, 0, true});
        return;
    }
    auto failing = Order(one.kind >> 8);
    if (expected.unset)
        fault(Trouble::no_value, one.line);
    const auto &messages = at.cell->messages;
    std::vector<std::pair<size_t, bool>> ways; // the message, and whether it is exchanged
    for (size_t m = messages.size(); m-- > oldest(at, Order::relaxed);) {
        const Value &value = messages[m].value;
        bool same = value.low == expected.low && value.high == expected.high;
        if (same && m >= oldest(at, one.order) && !changed(at, m))
            ways.emplace_back(m, true);
        if ((!same || one.kind & 1) && m >= oldest(at, failing))
            ways.emplace_back(m, false);
    }
    if (ways.empty()) // cannot be: the newest message is always one of them
        ways.emplace_back(messages.size() - 1, false);
    auto [which, wins] = ways[size_t(choices_->choose(int32_t(ways.size())))];
    Order order = wins ? one.order : failing;
    Value old = read(at, which, order);
    if (old.unset)
        fault(Trouble::no_value, one.line);
    mark(at, order, wins, one.line);
    if (wins)
        write(at, desired, order, which + 1, true);
    set(one.dst, old);
    set(one.dst + 1, {wins, 0, false});
    note(wins ? 3 : 1, one.line, address.low, int64_t(wins ? desired.low : old.low));
}

void Machine::fence(const Instruction &one) {
    Watcher &watcher = memory_->watchers[size_t(number_)];
    if (acquires(one.order))
        watcher.now.join(watcher.acquired);
    if (one.order == Order::strong) {
        Sight &all = memory_->strong_sight;
        for (auto [key, message] : all.seen)
            watcher.now.see(key, message);
        all.seen = watcher.now.seen;
        note(4, one.line, 0, 0);
    }
    if (releases(one.order)) {
        watcher.released = watcher.now;
        if (number_ != set_up_thread)
            ++watcher.now.clock[size_t(number_)];
    }
    watcher.acquired.join(watcher.now);
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
    thread_->registers.resize(size_t(base + code.registers), Value{0, 0, true});
    size_t taken = std::min(arguments.size(), size_t(code.registers));
    std::copy_n(arguments.begin(), taken, thread_->registers.begin() + base);
}

void Machine::give(const Instruction &one) {
    std::vector<Value> given;
    for (int32_t i = 0; i < one.c; ++i)
        given.push_back(reg(one.b + i));
    Frame done = thread_->frames.back();
    thread_->frames.pop_back();
    thread_->registers.resize(size_t(done.base));
    for (; thread_->slots > done.slots; --thread_->slots) {
        uint64_t id = first_stack + of_thread * uint64_t(number_) + uint64_t(thread_->slots);
        memory_->remove(uint32_t(id));
    }
    if (thread_->frames.empty()) {
        thread_->given = given;
        return;
    }
    base_ = thread_->frames.back().base;
    if (done.result >= 0)
        for (size_t i = 0; i < given.size(); ++i)
            set(done.result + int32_t(i), given[i]);
}

void Machine::allot(const Instruction &one) {
    ++thread_->slots;
    uint64_t id = first_stack + of_thread * uint64_t(number_) + uint64_t(thread_->slots);
    memory_->add({uint32_t(id), uint32_t(get(one.a).low), int8_t(number_), false, false});
    set(one.dst, {address_of(id), 0, false});
}

bool Machine::library(const Instruction &one) {
    auto argument = [&](int32_t i) { return get(one.b + i); };
    switch (Library(one.kind)) {
    case Library::allocate:
        allocate(one, argument(0), false);
        break;
    case Library::allocate_clear:
        allocate(one, {argument(0).low * argument(1).low, 0, false}, true);
        break;
    case Library::release:
        release(argument(0), one.line);
        break;
    case Library::fill:
        fill(one);
        break;
    case Library::copy:
        copy(one);
        break;
    case Library::lock:
        return lock(one, true);
    case Library::try_lock:
        return lock(one, false);
    case Library::unlock:
        unlock(one);
        break;
    case Library::nothing:
        if (one.dst >= 0)
            set(one.dst, {});
        break;
    case Library::thread:
        set(one.dst, {uint64_t(number_), 0, false});
        break;
    case Library::failed:
        fault(Trouble::assertion, one.line);
        return false;
    case Library::ended:
        return false;
    case Library::assume:
        return argument(0).low != 0;
    case Library::value: {
        uint64_t id = first_value + argument(0).low;
        if (memory_->find(uint32_t(id)) == nullptr) {
            Message holds{{argument(0).low, 0, false}, {}, false, -1};
            Object object{uint32_t(id), 256, -1, false, true};
            object.cells.push_back({0, 8, {holds}, {}});
            memory_->add(std::move(object));
        }
        set(one.dst, {address_of(id), 0, false});
        break;
    }
    }
    return true;
}

// New memory, or some that was freed: which, is tried in all ways.
void Machine::allocate(const Instruction &one, const Value &size, bool cleared) {
    std::vector<uint32_t> freed;
    for (const auto &object : memory_->objects)
        if (object->freed && object->size == size.low)
            freed.push_back(object->id);
    auto choice = size_t(choices_->choose(int32_t(freed.size()) + 1));
    Watcher &watcher = memory_->watchers[size_t(number_)];
    int8_t owner = number_ == set_up_thread ? int8_t(-1) : int8_t(number_);
    uint64_t id = first_heap + of_thread * uint64_t(number_) + uint64_t(thread_->allocated);
    if (choice > 0) {
        id = freed[choice - 1];
        Object *object = memory_->change(uint32_t(id));
        watcher.now.join(object->free_sight);
        object->freed = false;
        object->owner = owner;
        object->free_sight = {};
        object->cleared = cleared;
        memory_->forget_cells(*object);
    } else {
        if (thread_->allocated++ >= int32_t(of_thread)) {
            fault(Trouble::endless, one.line);
            thread_->allocated = 0;
        }
        memory_->add({uint32_t(id), uint32_t(size.low), owner, false, cleared});
    }
    set(one.dst, {address_of(id), 0, false});
}

void Machine::release(const Value &address, int32_t line) {
    if (address.low == 0)
        return;
    uint64_t id = object_at(address.low);
    Object *object = id <= UINT32_MAX ? memory_->change(uint32_t(id)) : nullptr;
    if (object == nullptr || id < first_heap || id >= first_stack ||
        address.low != address_of(id)) {
        fault(Trouble::wild, line);
        return;
    }
    if (object->freed) {
        fault(Trouble::freed_twice, line);
        return;
    }
    // Like a write of the whole: who has read it and is not known to be done may still use it.
    size_t before = faults.size();
    for (Cell &cell : object->cells)
        mark({object, &cell}, Order::plain, true, line);
    if (faults.size() > before) {
        faults.resize(before);
        fault(Trouble::freed, line);
    }
    object->freed = true;
    Watcher &watcher = memory_->watchers[size_t(number_)];
    object->free_sight = watcher.now;
    if (number_ != set_up_thread)
        ++watcher.now.clock[size_t(number_)];
}

void Machine::fill(const Instruction &one) {
    Value to = get(one.b), byte = get(one.b + 1);
    uint64_t size = plain(one.b + 2, one.line).low, wide = 0;
    for (int i = 0; i < 8; ++i)
        wide = wide << 8 | (byte.low & 255);
    for (uint64_t at = 0; at < size;) {
        uint32_t step = size - at >= 8 ? 8 : 1;
        Spot spot = this->spot({to.low + at, 0, to.unset}, step, one.line);
        if (spot.cell == nullptr)
            return;
        mark(spot, Order::plain, true, one.line);
        write(spot, {step == 8 ? wide : wide & 255, 0, byte.unset}, Order::plain,
              spot.cell->messages.size(), false);
        at += step;
    }
    if (one.dst >= 0)
        set(one.dst, to);
}

void Machine::copy(const Instruction &one) {
    Value to = get(one.b), from = get(one.b + 1);
    uint64_t size = plain(one.b + 2, one.line).low;
    for (uint64_t at = 0; at < size;) {
        uint32_t step = size - at >= 8 ? 8 : size - at >= 4 ? 4 : 1;
        Spot source = spot({from.low + at, 0, from.unset}, step, one.line);
        if (source.cell == nullptr)
            return;
        mark(source, Order::plain, false, one.line);
        Value value = read(source, source.cell->messages.size() - 1, Order::plain);
        Spot target = spot({to.low + at, 0, to.unset}, step, one.line);
        if (target.cell == nullptr)
            return;
        mark(target, Order::plain, true, one.line);
        write(target, value, Order::plain, target.cell->messages.size(), false);
        at += step;
    }
    if (one.dst >= 0)
        set(one.dst, to);
}

// A mutex is a word that is 1 while it is held; the newest message counts.
bool Machine::lock(const Instruction &one, bool waits) {
    Value address = get(one.b);
    Spot at = spot(address, 4, one.line);
    if (at.cell == nullptr)
        return false;
    size_t newest = at.cell->messages.size() - 1;
    bool held = at.cell->messages[newest].value.low != 0;
    if (held && waits)
        return false;
    mark(at, Order::both, true, one.line);
    Value old = read(at, newest, Order::acquire);
    if (!held)
        write(at, {1, 0, old.unset}, Order::relaxed, newest + 1, true);
    if (one.dst >= 0)
        set(one.dst, {held ? 16U : 0U, 0, false});
    note(5, one.line, address.low, 1);
    return true;
}

void Machine::unlock(const Instruction &one) {
    Value address = get(one.b);
    Spot at = spot(address, 4, one.line);
    if (at.cell == nullptr)
        return;
    size_t newest = at.cell->messages.size() - 1;
    if (at.cell->messages[newest].value.low == 0)
        fault(Trouble::unknown, one.line, 1);
    mark(at, Order::both, true, one.line);
    read(at, newest, Order::relaxed);
    write(at, {0, 0, false}, Order::release, newest + 1, true);
    if (one.dst >= 0)
        set(one.dst, {});
    note(5, one.line, address.low, 0);
}

} // namespace heapstory::explore::ir
