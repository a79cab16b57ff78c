// Runs the instructions of one thread.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "explore/ir/dice.h"
#include "explore/ir/memory.h"

namespace heapstory::explore::ir {

struct Frame {
    int32_t function, at;
    int32_t base;   // of its registers
    int32_t result; // the caller's register, or -1
    int32_t slots;  // the stack slots that the thread had before
};

// How long a thread has read again what it had read, and written nothing. Rounds in which also its
// registers are the same are none: such states are known.
struct Patience {
    struct Read {
        uint64_t place = 0, address = 0, value = 0;
        bool operator==(const Read &) const = default;
    };
    std::array<Read, 6> reads{}; // what it read, each place once
    size_t count = 0;
    uint64_t registers = 0; // their hash, at the first of these places
    int32_t rounds = 0;
};

struct Thread {
    std::vector<Frame> frames; // none: it is between two calls
    Patience patience;
    std::vector<Value> registers;
    int32_t slots = 0, allocated = 0;
    std::vector<Value> given;  // what its call gave
    Value exception, raised{}; // that is on its way, or was last: its address, its type
};

// What C gives no meaning, or this machine none.
enum class Trouble : int64_t {
    none,
    null,
    wild,
    freed,
    freed_twice,
    no_value,
    race,
    assertion,
    endless,
    unknown,
    hidden,
    weaker, // than sequential consistency, which was assumed
};
struct Fault {
    Trouble what;
    int32_t line, other, detail; // other: the line of the other access is not known: -1
    auto operator<=>(const Fault &) const = default;
};

// What a mutex does whose own thread locks it again: waits for ever, counts, or says so.
enum class MutexKind { normal, recursive, checked, adaptive };

// One access of a trail.
struct Event {
    int32_t thread, line;
    int32_t kind; // 0 call, 1 load, 2 store, 3 read-modify-write, 4 fence, 5 lock, 6 answer
    uint64_t address;
    int64_t value;
};

// Alternatives that were taken: what is not in the script is the first one, or drawn, and is noted.
struct Choices {
    std::vector<std::pair<int32_t, int32_t>> made; // which, of how many
    size_t at = 0;
    Dice *dice = nullptr;
    int32_t choose(int32_t count);
    // The next script in order; false: that was the last.
    bool next();
};

class Machine {
  public:
    explicit Machine(const Code &code) : code_(code) {}

    Memory initial() const;
    void call(Memory &memory, Thread &thread, int32_t function,
              const std::vector<Value> &arguments);
    // Runs up to the next instruction that others notice, or to the end of the call; or to where
    // it asks for memory: what others free meanwhile may be handed out.
    void glide(Memory &memory, Thread &thread, int number, Choices &choices, bool asks = true);
    // Runs that instruction. False: it waits.
    bool step(Memory &memory, Thread &thread, int number, Choices &choices);

    std::vector<Fault> faults; // since they were last cleared
    std::vector<Event> *trail = nullptr;
    bool spurious = true;            // a weak exchange may fail for no reason
    int32_t most_rounds = INT32_MAX; // in which a thread sees nothing new: then it waits for that
    bool waited = false;             // whether one did

  private:
    bool visible(const Instruction &one);
    bool is_weaker(const Instruction &one) const;
    std::optional<uint64_t> only_read(const Instruction &one);
    bool is_patient(const Instruction &one, uint64_t place, uint64_t address);
    bool asks_for_memory(const Instruction &one) const;
    bool execute(const Instruction &one);
    Value &reg(int32_t number) { return thread_->registers[size_t(base_ + number)]; }
    Value get(int32_t operand);
    Value plain(int32_t operand, int32_t line);
    void set(int32_t number, Value value) { reg(number) = value; }
    void fault(Trouble what, int32_t line, int32_t detail = 0);
    void note(int32_t kind, int32_t line, uint64_t address, int64_t value);

    struct Spot {
        Object *object;
        Cell *cell;
    };
    Spot spot(const Value &address, uint32_t size, int32_t line);
    void mark(const Spot &spot, Order order, bool writes, int32_t line);
    size_t oldest(const Spot &spot, Order order);
    static bool changed(const Spot &spot, size_t message);
    bool repeats(const Spot &spot, size_t which, const Value &made, Order order) const;
    Value read(const Spot &spot, size_t at, Order order);
    void write(const Spot &spot, Value value, Order order, size_t at, bool attached);
    void go_on(const Spot &spot, Message &message, size_t at) const;
    size_t place_of_write(const Spot &spot, Order order);
    void publish(const Value &value, const Object &into);
    void publish_object(uint64_t address);

    void binary(const Instruction &one);
    static Unset unset_bytes(Binary how, const Value &x, const Value &y, int32_t bits);
    void load(const Instruction &one);
    void store(const Instruction &one);
    void modify(const Instruction &one);
    void exchange(const Instruction &one);
    void fence(const Instruction &one);
    void enter(const Instruction &one, int32_t function);
    void give(const Instruction &one);
    void leave();
    bool unwind(int32_t line);
    int32_t line_of(int32_t line) const;
    void allot(const Instruction &one);
    bool library(const Instruction &one);
    void allocate(const Instruction &one, const Value &size, bool cleared);
    void release(const Value &address, int32_t line);
    bool cleared(const Value &address, uint64_t size);
    void fill(const Instruction &one);
    void reallocate(const Instruction &one);
    void copy(const Instruction &one);
    void copy_bytes(const Value &to, const Value &from, uint64_t size, int32_t line);
    Value look(const Spot &source, int32_t line);
    void compare_memory(const Instruction &one);
    bool lock(const Instruction &one, bool waits);
    uint64_t locked(Lock lock, uint64_t word) const;
    MutexKind kind_if_own(const Value &address, int32_t line);
    uint64_t unlocked(Lock lock, uint64_t word, int32_t line);
    void unlock(const Instruction &one);
    uint64_t holding() const { return uint64_t(number_) + 1; } // in a mutex that this thread has

    const Code &code_;
    Memory *memory_ = nullptr;
    Thread *thread_ = nullptr;
    Choices *choices_ = nullptr;
    int number_ = 0;
    int32_t base_ = 0;
};

} // namespace heapstory::explore::ir
