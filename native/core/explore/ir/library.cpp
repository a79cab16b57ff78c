// Functions that a program does not bring along: memory, mutexes and the like.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/ir/arithmetic.h"
#include "explore/ir/machine.h"

#include <algorithm>
#include <bit>

namespace heapstory::explore::ir {

namespace {

uint64_t counted(Bits what, uint64_t value, int32_t width) {
    value &= mask(width);
    switch (what) {
    case Bits::ones:
        return uint64_t(std::popcount(value));
    case Bits::zeros_above:
        return uint64_t(std::countl_zero(value) - (64 - width));
    default:
        return uint64_t(value == 0 ? width : std::countr_zero(value));
    }
}

uint32_t step_of(uint64_t left) {
    return left >= 8 ? 8 : left >= 4 ? 4 : 1;
}

} // namespace

// In the word of a lock, above all numbers of threads: a reader, or one more locking of a mutex by
// the thread that holds it.
constexpr uint64_t more = 256;

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
    case Library::choose:
        set(one.dst, {uint64_t(choices_->choose(2)), 0, false});
        break;
    case Library::raise:
        thread_->exception = argument(0);
        thread_->raised = argument(1);
        return unwind(one.line);
    case Library::caught:
        set(one.dst, thread_->exception);
        set(one.dst + 1, thread_->raised);
        break;
    case Library::raise_again:
        return unwind(one.line);
    case Library::reallocate:
        reallocate(one);
        break;
    case Library::compare_memory:
        compare_memory(one);
        break;
    case Library::count_bits: {
        Value number = argument(0);
        uint64_t count = counted(Bits(one.size % 4), number.low, one.size / 4);
        set(one.dst, {count, 0, unset_if(number.unset)});
        break;
    }
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

// Clears an object as a whole that no other thread can reach.
bool Machine::cleared(const Value &address, uint64_t size) {
    uint64_t id = object_at(address.low);
    Object *object = id <= UINT32_MAX ? memory_->change(uint32_t(id)) : nullptr;
    bool own = object != nullptr && (number_ == set_up_thread || object->owner == number_);
    if (!own || object->freed || address.unset != 0 || address.low != address_of(id) ||
        size != object->size)
        return false;
    memory_->forget_cells(*object);
    object->cleared = true;
    return true;
}

void Machine::fill(const Instruction &one) {
    Value to = get(one.b), byte = get(one.b + 1);
    uint64_t size = plain(one.b + 2, one.line).low, wide = 0;
    for (int i = 0; i < 8; ++i)
        wide = wide << 8 | (byte.low & 255);
    if (wide == 0 && byte.unset == 0 && cleared(to, size)) {
        if (one.dst >= 0)
            set(one.dst, to);
        return;
    }
    for (uint64_t at = 0; at < size;) {
        uint32_t step = size - at >= 8 ? 8 : 1;
        Spot spot = this->spot({to.low + at, 0, to.unset}, step, one.line);
        if (spot.cell == nullptr)
            return;
        mark(spot, Order::plain, true, one.line);
        write(spot, {step == 8 ? wide : wide & 255, 0, unset_if(byte.unset != 0)}, Order::plain,
              spot.cell->messages.size(), false);
        at += step;
    }
    if (one.dst >= 0)
        set(one.dst, to);
}

void Machine::reallocate(const Instruction &one) {
    Value old = get(one.b), size = plain(one.b + 1, one.line);
    allocate(one, size, false);
    uint64_t id = object_at(old.low);
    const Object *object = id <= UINT32_MAX ? memory_->find(uint32_t(id)) : nullptr;
    if (object != nullptr)
        copy_bytes(get(one.dst), old, std::min<uint64_t>(object->size, size.low), one.line);
    release(old, one.line);
}

void Machine::copy(const Instruction &one) {
    Value to = get(one.b);
    copy_bytes(to, get(one.b + 1), plain(one.b + 2, one.line).low, one.line);
    if (one.dst >= 0)
        set(one.dst, to);
}

void Machine::copy_bytes(const Value &to, const Value &from, uint64_t size, int32_t line) {
    for (uint64_t at = 0; at < size;) {
        uint32_t step = step_of(size - at);
        Spot source = spot({from.low + at, 0, from.unset}, step, line);
        if (source.cell == nullptr)
            return;
        Value value = look(source, line);
        Spot target = spot({to.low + at, 0, to.unset}, step, line);
        if (target.cell == nullptr)
            return;
        mark(target, Order::plain, true, line);
        write(target, value, Order::plain, target.cell->messages.size(), false);
        at += step;
    }
}

Value Machine::look(const Spot &source, int32_t line) {
    mark(source, Order::plain, false, line);
    return read(source, source.cell->messages.size() - 1, Order::plain);
}

void Machine::compare_memory(const Instruction &one) {
    Value left = get(one.b), right = get(one.b + 1);
    uint64_t size = plain(one.b + 2, one.line).low;
    Value found{};
    for (uint64_t at = 0, step = 1; at < size && found.low == 0; at += step) {
        step = step_of(size - at);
        uint64_t both[2]{};
        for (int side = 0; side < 2; ++side) {
            const Value &of = side == 0 ? left : right;
            Spot source = spot({of.low + at, 0, of.unset}, uint32_t(step), one.line);
            Value held = source.cell == nullptr ? Value{0, 0, all_unset} : look(source, one.line);
            both[side] = held.low;
            found.unset |= unset_if(held.unset);
        }
        if (uint64_t differs = (both[0] ^ both[1]) & mask(int32_t(8 * step)); differs != 0) {
            int byte = std::countr_zero(differs) / 8 * 8; // the first one decides
            found.low = (both[0] >> byte & 255) < (both[1] >> byte & 255) ? mask(32) : 1;
        }
    }
    if (one.dst >= 0)
        set(one.dst, found);
}

// What a word becomes when a thread gets through; itself: it has to wait.
uint64_t Machine::locked(Lock lock, uint64_t word) const {
    switch (lock) {
    case Lock::for_reading:
        return word % more == 0 ? word + more : word;
    case Lock::semaphore:
        return word == 0 ? 0 : word - 1;
    default:
        return word == 0 ? holding() : word;
    }
}

// What a mutex does that this thread holds, by the word in which glibc keeps that.
MutexKind Machine::kind_if_own(const Value &address, int32_t line) {
    constexpr uint64_t offset = 16;
    const Object *object = memory_->find(uint32_t(object_at(address.low)));
    if (object == nullptr || address.low + offset + 4 > address_of(object->id) + object->size)
        return MutexKind::normal;
    Spot word = spot(address, 4, line);
    if (word.cell == nullptr || word.cell->messages.back().value.low % more != holding())
        return MutexKind::normal;
    Spot kind = spot({address.low + offset, 0, false}, 4, line);
    if (kind.cell == nullptr || kind.cell->messages.back().value.unset != 0)
        return MutexKind::normal;
    return MutexKind(kind.cell->messages.back().value.low & 3);
}

uint64_t Machine::unlocked(Lock lock, uint64_t word, int32_t line) {
    if (lock == Lock::semaphore)
        return word + 1;
    bool again = lock == Lock::mutex && word % more == holding();
    if (word >= more && (lock != Lock::mutex || again))
        return word - more;
    if (word != holding())
        fault(Trouble::unknown, line, 1);
    return 0;
}

constexpr uint64_t busy = 16, deadlock = 35; // as errno says them

// The newest message counts.
bool Machine::lock(const Instruction &one, bool waits) {
    Value address = get(one.b);
    MutexKind kind =
        Lock(one.size) == Lock::mutex ? kind_if_own(address, one.line) : MutexKind::normal;
    Spot at = spot(address, 4, one.line);
    if (at.cell == nullptr)
        return false;
    size_t newest = at.cell->messages.size() - 1;
    Value word = at.cell->messages[newest].value;
    uint64_t made = locked(Lock(one.size), word.low);
    if (kind == MutexKind::recursive)
        made = word.low + more;
    bool held = made == word.low;
    if (word.unset)
        fault(Trouble::no_value, one.line);
    if (held && waits && kind == MutexKind::checked) {
        if (one.dst >= 0)
            set(one.dst, {deadlock, 0, false});
        return true;
    }
    if (held && waits && Lock(one.size) != Lock::semaphore && word.low == holding())
        fault(Trouble::unknown, one.line, 2);
    if (held && waits)
        return false;
    mark(at, Order::both, true, one.line);
    read(at, newest, held ? Order::relaxed : Order::acquire);
    if (!held)
        write(at, {made, 0, false}, Order::relaxed, newest + 1, true);
    if (one.dst >= 0)
        set(one.dst, {held ? busy : 0, 0, false});
    note(5, one.line, address.low, 1);
    return true;
}

void Machine::unlock(const Instruction &one) {
    Value address = get(one.b);
    Spot at = spot(address, 4, one.line);
    if (at.cell == nullptr)
        return;
    size_t newest = at.cell->messages.size() - 1;
    uint64_t made = unlocked(Lock(one.size), at.cell->messages[newest].value.low, one.line);
    mark(at, Order::both, true, one.line);
    read(at, newest, Order::relaxed);
    write(at, {made, 0, false}, Order::release, newest + 1, true);
    if (one.dst >= 0)
        set(one.dst, {});
    note(5, one.line, address.low, 0);
}

} // namespace heapstory::explore::ir
