// Functions of a C program as instructions, and the calls that are tried.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heapstory::explore::ir {

using Longs = std::vector<int64_t>;

enum class Op : int64_t {
    move,
    binary,   // kind: a Binary; size: bits
    compare,  // kind: a Predicate; size: bits
    select,   // a ? b : c
    truncate, // size: bits
    extend,   // the sign of `size` bits
    index,    // a + b * c, c is a constant
    load,
    store,    // to a: b
    modify,   // kind: a Modify
    exchange, // compare and exchange: dst old, dst + 1 whether; kind: bit 0 weak, 8… order of
              // failure
    fence,
    jump,   // to a
    branch, // a ? b : c
    call,   // kind: the function; b: the first of c arguments in a row
    call_by_address,
    give,    // returns the c registers from b on
    allot,   // a stack slot of a bytes
    library, // kind: a Library; b: the first of c arguments in a row
    unknown, // kind: the number of a reason
    landing, // behind a call: an exception that leaves it goes on at a
};

enum class Binary : int64_t {
    add,
    sub,
    mul,
    band,
    bor,
    bxor,
    shl,
    lshr,
    ashr,
    sdiv,
    udiv,
    srem,
    urem
};
enum class Predicate : int64_t { eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge };
enum class Modify : int64_t { xchg, add, sub, band, bor, bxor, nand, max, min, umax, umin };
enum class Order : int64_t { plain, relaxed, acquire, release, both, strong };
constexpr bool acquires(Order order) {
    return order == Order::acquire || order == Order::both || order == Order::strong;
}
constexpr bool releases(Order order) {
    return order == Order::release || order == Order::both || order == Order::strong;
}
enum class Library : int64_t {
    allocate,       // size
    allocate_clear, // count, size
    release,
    fill, // address, byte, size
    copy, // to, from, size
    lock, // address; size: a Lock
    unlock,
    try_lock,
    nothing, // gives 0
    thread,  // the number of the thread
    failed,  // an assertion
    ended,   // the program
    value,   // the object that stands for a value
    assume,  // what is false never happens
    choose,  // 0 or 1
    raise,   // an exception: its address, the number of its type
    caught,  // gives these
    raise_again,
    compare_memory, // address, address, size
    count_bits,     // of a number; size: a Bits, and 4 times its width
    reallocate,     // address, size
};
enum class Bits : int32_t { ones, zeros_above, zeros_below };
// How a word is a lock: 0 or who holds it; and so many readers; a number that is never below 0.
enum class Lock : int32_t { mutex, for_reading, for_writing, semaphore };

// Operands are registers, or below 0 constants: -1 is the first one.
struct Instruction {
    Op op;
    int64_t kind;
    int32_t dst, a, b, c;
    int32_t size;
    Order order;
    int32_t line;
};

struct Function {
    int32_t registers;
    std::vector<Instruction> code;
    std::vector<std::vector<int32_t>> dead; // by instruction: registers that are not needed there
};

// What a call answers, read from what its wrapper returns: a status and a value.
enum class Says : int64_t {
    nothing,
    truth,  // status `yes`: 1, `no`: 0
    status, // the value, or `no`: empty
    value,  // status `yes`: the value, `no`: empty
    number, // the status as it is
    done,   // status `yes`: done, `no`: full
};

enum class Method : int64_t {
    insert, // at the back
    take_front,
    take_back,
    add,
    remove,
    contains,
    write,
    read,
    increment,
    decrement,
};

struct Operation {
    int32_t function;
    Method method;
    bool argument; // takes a key or a value
    int32_t role;  // the thread that may call it, or -1
    Says says;
    int64_t yes, no;
    int64_t spread;            // values are multiples of it, so that each of their bytes counts
    std::vector<int64_t> lost; // statuses that say: nothing was done
};

struct Initial {
    int32_t offset, size;
    int64_t value;
};
struct Variable {
    int32_t size;
    std::vector<Initial> holds; // the rest is 0
};

struct Code {
    bool strong;      // every atomic access is sequentially consistent
    int64_t capacity; // of the abstract object, or -1
    bool keyed;       // arguments are keys, not distinct values
    bool named;       // what a thread does may depend on its number
    bool frees;       // some function frees memory
    int32_t set_up;   // the function that makes the initial state, or -1
    std::vector<int64_t> constants;
    std::vector<Variable> variables;
    std::vector<Function> functions;
    std::vector<Operation> operations;

    // Throws std::invalid_argument where the words are not such a program.
    static Code read(const Longs &words);
};

// Where things lie: variables, then functions, then memory of threads.
constexpr uint64_t address_of(uint64_t object) {
    return 0x100000000 + (object << 24);
}
constexpr uint64_t object_at(uint64_t address) {
    return address < address_of(0) ? ~uint64_t(0) : (address - address_of(0)) >> 24;
}
constexpr uint64_t first_function = 1 << 12, first_heap = 1 << 13, first_stack = 1 << 16;
constexpr uint64_t first_value = 1 << 18;
constexpr uint64_t of_thread = 1 << 10; // objects that a thread may have
constexpr int most_threads = 4;         // and one more, which sets up
constexpr int64_t value_base = 11;      // the first of the distinct values

} // namespace heapstory::explore::ir
