// Memory with its past: what a thread may read depends on what it has seen (RC11 without load
// buffering, as a machine of messages and views), and which accesses are ordered.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "explore/ir/code.h"

#include <array>
#include <memory>
#include <optional>
#include <utility>

namespace heapstory::explore::ir {

constexpr int set_up_thread = most_threads;

using Unset = uint16_t; // a bit for each byte that was never written
constexpr Unset all_unset = UINT16_MAX;
constexpr Unset unset_if(bool some) {
    return some ? all_unset : Unset(0);
}
constexpr Unset first_bytes(uint64_t count) {
    return count >= 16 ? all_unset : Unset((1U << count) - 1);
}

struct Value {
    uint64_t low = 0, high = 0;
    Unset unset = 0;
    bool operator==(const Value &) const = default;
};

using Clock = std::array<uint16_t, most_threads>;
using Key = uint64_t; // object and offset

constexpr Key key_of(uint32_t object, uint32_t offset) {
    return Key(object) << 32 | offset;
}

// What has been seen: of each cell the oldest message that may still be read (0 where it is not
// named), and of each thread how far it is known.
struct Sight {
    std::vector<std::pair<Key, uint16_t>> seen; // by key
    Clock clock{};

    uint16_t of(Key key) const;
    void see(Key key, uint16_t message);
    void join(const Sight &other);
    bool covers(const Sight &other) const;
    // A message of a cell was put before those from `at` on, or `count` oldest ones are gone.
    void shift(Key key, uint16_t at, int by);
};

struct Message {
    Value value;
    Sight sight;
    bool attached = false; // written by a read-modify-write: nothing comes right before it
    int8_t writer = -1;    // its thread
    bool atomic = false;
    // Where it took over what another thread had released: the sight without that, which is all
    // that later writes of its own thread pass on.
    std::optional<Sight> own{};
};

// When each thread last accessed a cell; 0: never, or everyone knows.
struct Marks {
    Clock plain_read{}, plain_write{}, read{}, write{};
    void join(const Marks &other);
};

struct Cell {
    uint32_t offset;
    uint32_t size;
    std::vector<Message> messages; // oldest first, never empty
    Marks marks;
};

struct Object {
    uint32_t id;
    uint32_t size;
    int8_t owner; // the only thread that can reach it, or -1
    bool freed = false;
    bool cleared = false; // where there is no cell, there is 0
    bool touched = true;  // since the structure was set up
    Sight free_sight{};   // of the one who freed it
    std::vector<Cell> cells{};
};

struct Watcher { // what a thread has seen
    Sight now, acquired, released;
};

class Memory {
  public:
    std::vector<std::shared_ptr<Object>> objects; // by id
    std::array<Watcher, most_threads + 1> watchers;
    int threads = 1;
    std::array<bool, most_threads> retired{}; // threads that read and write no more
    Sight strong_sight;                       // of sequentially consistent accesses and fences

    const Object *find(uint32_t id) const;
    Object *change(uint32_t id); // a copy of its own, if others have it too
    Object &add(Object object);
    void remove(uint32_t id);
    // New memory where other was: nothing of the old is left, nor of who has seen it.
    void forget_cells(Object &object);

    // The cell of an access, made if there is none. nullptr: it would split one that threads may
    // see differently; what was not written atomically they cannot, or they race.
    Cell *cell(Object &object, uint32_t offset, uint32_t size);
    // Puts a message into a cell, and corrects what everyone has seen.
    void insert(uint32_t object, Cell &cell, size_t at, Message message);
    // Forgets messages that no thread can read any more, and marks that everyone knows.
    void forget();

  private:
    size_t place(uint32_t id) const;
    void shift_all(Key key, uint16_t at, int by);
    Clock unknown(const Clock &marks) const;
    void forget_messages(uint32_t id, size_t number);
    void forget_marks(uint32_t id, size_t number);
};

} // namespace heapstory::explore::ir
