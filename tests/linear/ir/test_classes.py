"""Classes as they stand: templates that nothing instantiates, constructors, exceptions, answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapstory.linear.budget import Budget
from heapstory.linear.ir.classes import outline
from heapstory.linear.ir.judge import Outcome
from heapstory.linear.ir.verdict import Wanted, judge_source


def judged(folder: Path, name: str, text: str, calls: int = 3, **options: object) -> Outcome:
    path = folder / name
    path.write_text(text)
    wanted = Wanted(str(path), calls=calls, **options)  # type: ignore[arg-type]
    return judge_source(wanted, Budget(100.0, 2_000_000))


TEMPLATE = """
#pragma once
#include <atomic>
#include <cstddef>
#include <optional>
namespace piles { inline namespace one {
/* It's a comment: class Other { void push(int); }; */
template <typename T, class Allocator = std::allocator<T>> class Pile {
    struct Item { T value; Item *next; };
    alignas(64) std::atomic<Item *> top{nullptr};
  public:
    Pile() noexcept : top{nullptr} {}
    Pile(const Pile &) = delete;
    template <typename U> void push(U &&value) {
        Item *one = new Item{static_cast<U &&>(value), top.load()};
        while (!top.compare_exchange_weak(one->next, one)) {}
    }
    std::optional<T> pop() {
        Item *one = top.load();
        while (one && !top.compare_exchange_weak(one, one->next)) {}
        return one ? std::optional<T>(one->value) : std::nullopt;
    }
};
} }
"""


def test_a_template_that_nothing_instantiates(tmp_path: Path) -> None:
    """In a header, with an answer that is no number and a parameter that is a template."""
    outcome = judged(tmp_path, "pile.hpp", TEMPLATE)
    assert (outcome.verdict, outcome.reason) == ("bounded-ok", "")
    assert "taken for a stack of piles::one::Pile<int>" in outcome.notes[0]
    careless = TEMPLATE.replace(
        "while (!top.compare_exchange_weak(one->next, one)) {}", "top.store(one);"
    )
    refuted = judged(tmp_path, "pile.hpp", careless, calls=4)
    assert refuted.verdict == "not-linearizable"
    line = 1 + careless[: careless.index("top.store(one)")].count("\n")
    assert line in {event.line for event in refuted.trail}  # not one of the library's header


RING = """
#include <atomic>
#include <cstddef>
template <class T, std::size_t Capacity> struct Ring {
    static_assert(Capacity >= 4, "at least four");
    bool push(const T &value) {
        std::size_t at = tail.load();
        if (at - head.load() == limit) return false;
        slots[at % Capacity] = value;
        tail.store(at + 1);
        return true;
    }
    bool pop(T &value) {
        std::size_t at = head.load();
        if (at == tail.load()) return false;
        value = slots[at % Capacity];
        head.store(at + 1);
        return true;
    }
  private:
    std::atomic<std::size_t> head{5}, tail{5};
    std::size_t limit = 2;
    T slots[Capacity];
};
"""


def test_members_have_the_values_of_their_declarations(tmp_path: Path) -> None:
    """No constructor is written, and not all begins as 0; the first capacity is refused."""
    outcome = judged(tmp_path, "ring.h", RING, one_thread=("push", "pop"))
    assert (outcome.verdict, outcome.reason, outcome.capacity) == ("bounded-ok", "", 2)
    late = RING.replace("head{5}, tail{5}", "head{6}, tail{5}")
    assert judged(tmp_path, "ring.h", late, one_thread=("push", "pop")).verdict == "unknown"


NO_OBJECT = """
class Pile {
    Pile();
    int *top;
  public:
    void push(int value);
    int pop();
};
void Pile::push(int value) { top = new int(value); }
int Pile::pop() { return top ? *top : -1; }
"""


def test_an_object_that_cannot_be_made_is_not_taken_to_be_all_zero(tmp_path: Path) -> None:
    outcome = judged(tmp_path, "pile.cc", NO_OBJECT)
    assert outcome.verdict == "unknown"
    assert "no object of class 'Pile' can be made" in outcome.reason


GLOBAL = """
#include <atomic>
struct Counter { std::atomic<int> value; Counter(int from) : value(from) {} };
int first() { return 0; }
static Counter counter(first());
static Counter behind(first() + SHIFT);
int increment() { return counter.value.fetch_add(1) + behind.value.load(); }
int read() { return counter.value.load() + behind.value.load(); }
"""


def test_what_runs_before_the_program(tmp_path: Path) -> None:
    assert judged(tmp_path, "c.cc", GLOBAL, options=("-DSHIFT=0",)).verdict == "bounded-ok"
    shifted = judged(tmp_path, "c.cc", GLOBAL, options=("-DSHIFT=1",))
    assert shifted.verdict == "unknown" and "do not behave like" in shifted.reason


THROWING = """
#include <memory>
#include <mutex>
#include <stdexcept>
struct Empty : std::runtime_error { Empty() : std::runtime_error("empty") {} };
template <typename T> class Pile {
    struct Item { T value; Item *next; };
    Item *top = nullptr;
    std::mutex lock;
    Item *taken() {
        if (!top) throw Empty();
        Item *one = top;
        top = one->next;
        return one;
    }
  public:
    void push(T value) {
        std::lock_guard<std::mutex> hold(lock);
        top = new Item{value, top};
    }
    std::shared_ptr<T> pop() {
        std::lock_guard<std::mutex> hold(lock);
        try {
            return std::make_shared<T>(taken()->value);
        } catch (const std::logic_error &) {
            return std::make_shared<T>(-5);
        } catch (const std::exception &) {
            RAISE
        }
    }
};
"""


@pytest.mark.parametrize("again", ["throw;", "return nullptr;", "throw 1;"])
def test_exceptions_are_answers(tmp_path: Path, again: str) -> None:
    """They pass what is destroyed on their way (here the lock is given back), and are caught by
    their base."""
    outcome = judged(tmp_path, "pile.hpp", THROWING.replace("RAISE", again))
    assert (outcome.verdict, outcome.reason) == ("bounded-ok", "")


def test_a_lock_that_an_exception_leaves_is_noticed(tmp_path: Path) -> None:
    kept = THROWING.replace("RAISE", "throw;").replace(
        "std::shared_ptr<T> pop() {\n        std::lock_guard<std::mutex> hold(lock);",
        "std::shared_ptr<T> pop() {\n        lock.lock();",
    )
    assert judged(tmp_path, "pile.hpp", kept).verdict == "unknown"


SHARED_POINTERS = """
#include <memory>
#include <mutex>
#include <queue>
template <typename T> class Line {
    std::queue<std::shared_ptr<T>> items;
    std::mutex lock;
  public:
    void push(T value) {
        std::shared_ptr<T> one = std::make_shared<T>(value);
        std::lock_guard<std::mutex> hold(lock);
        items.push(one);
    }
    std::shared_ptr<T> pop() {
        std::lock_guard<std::mutex> hold(lock);
        if (items.empty()) return nullptr;
        std::shared_ptr<T> one = items.front();
        items.pop();
        return one;
    }
};
"""


def test_shared_pointers(tmp_path: Path) -> None:
    outcome = judged(tmp_path, "queue.hpp", SHARED_POINTERS)
    assert (outcome.verdict, outcome.reason) == ("bounded-ok", "")
    bare = SHARED_POINTERS.replace(
        "std::lock_guard<std::mutex> hold(lock);\n        items", "items"
    )
    refused = judged(tmp_path, "queue.hpp", bare)
    assert refused.verdict == "unknown" and "races with another access" in refused.reason


WAITING = """
#include <condition_variable>
#include <mutex>
#include <queue>
template <typename T> class Channel {
    std::queue<T> items;
    std::mutex lock;
    std::condition_variable some;
  public:
    void put(T value) {
        std::unique_lock<std::mutex> hold(lock);
        items.push(value);
        some.notify_one();
    }
    T get() {
        std::unique_lock<std::mutex> hold(lock);
        WAIT
        T value = items.front();
        items.pop();
        return value;
    }
};
"""


def test_condition_variables(tmp_path: Path) -> None:
    """A wait may end for no reason: who does not look again takes from an empty queue."""
    loop = WAITING.replace("WAIT", "while (items.empty()) some.wait(hold);")
    assert judged(tmp_path, "channel.h", loop).verdict == "bounded-ok"
    once = WAITING.replace("WAIT", "if (items.empty()) some.wait(hold);")
    assert judged(tmp_path, "channel.h", once).verdict in ("unknown", "not-linearizable")


SHARED_LOCK = """
#include <pthread.h>
#include <stdbool.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static bool there[8];
bool set_add(int key) {
    pthread_rwlock_wrlock(&lock);
    bool was = there[key];
    there[key] = true;
    pthread_rwlock_unlock(&lock);
    return !was;
}
bool set_remove(int key) {
    pthread_rwlock_LOCK(&lock);
    bool was = there[key];
    there[key] = false;
    pthread_rwlock_unlock(&lock);
    return was;
}
bool set_contains(int key) {
    pthread_rwlock_rdlock(&lock);
    bool is = there[key];
    pthread_rwlock_unlock(&lock);
    return is;
}
"""


def test_locks_for_readers(tmp_path: Path) -> None:
    """Readers do not exclude each other: who writes must not be one."""
    right = SHARED_LOCK.replace("LOCK(", "wrlock(")
    assert judged(tmp_path, "set.c", right).verdict == "bounded-ok"
    wrong = judged(tmp_path, "set.c", SHARED_LOCK.replace("LOCK(", "rdlock("))
    assert wrong.verdict == "unknown" and "races" in wrong.reason


SEMAPHORE = """
#include <semaphore.h>
static sem_t free_, used;
static int slot;
void buffer_init(void) { sem_init(&free_, 0, FREE); sem_init(&used, 0, 0); }
void buffer_put(int value) { sem_wait(&free_); slot = value; sem_post(&used); }
int buffer_get(void) { sem_wait(&used); int value = slot; sem_post(&free_); return value; }
"""


@pytest.mark.parametrize(("free", "right"), [(1, True), (2, False)])
def test_semaphores(tmp_path: Path, free: int, right: bool) -> None:
    outcome = judged(
        tmp_path,
        "b.c",
        SEMAPHORE,
        options=(f"-DFREE={free}",),
        implements="queue",
        functions="buffer_put=enqueue,buffer_get=dequeue",
    )
    assert (outcome.verdict == "bounded-ok") == right


def test_what_another_file_holds_is_not_taken_to_be_zero(tmp_path: Path) -> None:
    text = (
        "#include <stdatomic.h>\nextern int step;\nstatic atomic_int n;\n"
        "int increment(void) { return atomic_fetch_add(&n, 1 + step); }\n"
        "int read(void) { return atomic_load(&n); }\n"
    )
    assert judged(tmp_path, "n.c", text).verdict == "unknown"


def test_files_that_belong_to_headers_are_read(tmp_path: Path) -> None:
    (tmp_path / "item.h").write_text(
        "#pragma once\nstruct item { int value; };\nint value_of(struct item *);\n"
    )
    (tmp_path / "item.c").write_text(
        '#include "item.h"\nint value_of(struct item *i) { return i->value; }\n'
    )
    text = (
        '#include "item.h"\n#include <stdatomic.h>\n#include <stdlib.h>\n'
        "static _Atomic(struct item *) held;\n"
        "void cell_write(int v) { struct item *i = malloc(sizeof *i); i->value = v; held = i; }\n"
        "int cell_read(void) { struct item *i = held; return i ? value_of(i) : 0; }\n"
    )
    assert judged(tmp_path, "cell.c", text).verdict == "bounded-ok"


def test_inline_functions_of_a_header_in_c(tmp_path: Path) -> None:
    text = (
        "#ifndef N_H\n#define N_H\n#include <stdatomic.h>\nstruct n { atomic_int held; };\n"
        "static inline void n_init(struct n *n) { atomic_init(&n->held, 0); }\n"
        "static inline int n_increment(struct n *n) { return atomic_fetch_add(&n->held, 1); }\n"
        "static inline int n_read(struct n *n) { return atomic_load(&n->held); }\n#endif\n"
    )
    assert judged(tmp_path, "n.h", text).verdict == "bounded-ok"


def test_headers_in_folders_nearby_and_those_that_users_include_first(tmp_path: Path) -> None:
    (tmp_path / "support").mkdir()
    (tmp_path / "queues").mkdir()
    (tmp_path / "support" / "line.h").write_text("enum { LINE = 64 };\n")
    text = (
        '#pragma once\n#include <atomic>\n#include "line.h"\n'
        "template <class T> class Cell {\n    alignas(LINE) std::atomic<T> held{0};\n  public:\n"
        "    void write(T v) { assert(v >= 0); held = v; }\n"
        "    T read() { return held; }\n};\n"
    )
    assert judged(tmp_path / "queues", "cell.hpp", text).verdict == "bounded-ok"


def test_one_producer_by_its_name(tmp_path: Path) -> None:
    """What is named spsc is judged with one thread for each operation, and that is said."""
    ring = RING.replace("Ring", "SpscRing")
    outcome = judged(tmp_path, "r.h", ring)
    assert outcome.verdict == "bounded-ok"
    assert any("only one thread calls each of push, pop" in note for note in outcome.notes)
    assert judged(tmp_path, "r.h", ring, one_thread=("none",)).verdict == "not-linearizable"


HALF_AND_WHOLE = """
#include <atomic>
#include <optional>
template <typename T> class Slot {
    std::optional<T> held;
    std::atomic<int> state{0};
  public:
    bool push(T value) {
        int free = 0;
        if (!state.compare_exchange_strong(free, 1)) return false;
        held = value;
        state.store(2, std::memory_order_release);
        return true;
    }
    std::optional<T> pop() {
        int full = 2;
        if (!state.compare_exchange_strong(full, 3, std::memory_order_acquire)) return {};
        std::optional<T> found = held;
        held.reset();
        state.store(0, std::memory_order_release);
        return found;
    }
};
"""


def test_plain_data_is_read_in_other_pieces_than_it_was_written(tmp_path: Path) -> None:
    """An optional is written by its members and copied whole; that is no fault and hides none."""
    assert "cannot be modelled" not in judged(tmp_path, "slot_queue.hpp", HALF_AND_WHOLE).reason
    late = HALF_AND_WHOLE.replace("held = value;\n", "").replace(
        "return true;", "held = value;\n        return true;"
    )
    assert judged(tmp_path, "slot_queue.hpp", late).verdict == "not-linearizable"


OUTLINE = """
namespace a::b {
class Base { public: int inherited(); };
template <class T, int N = 4, typename... Rest> class Some final : public Base {
    void hidden();
  public:
    explicit Some(unsigned long size = 1'000) : x_{1}, y_(2) { if (x_) { y_ = 'x'; } }
    Some(const Some &) = delete;
    ~Some() = default;
    [[nodiscard]] bool first(const T &in, T *out) const noexcept;
    template <class U> auto second(U &&u) -> decltype(u.x());
    std::function<void(int)> field{nullptr};
    static int third();
    bool operator<(const Some &) const;
    void fourth() { struct Inner { void fifth(); }; }
  protected:
    int x_ = 0, y_{3};
};
struct Later;
}
"""


def test_the_outline_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "some.hpp"
    path.write_text(OUTLINE)
    base, some = outline(path).classes
    assert (base.full_name, some.full_name) == ("a::b::Base", "a::b::Some")
    assert [m.name for m in some.methods] == ["first", "second", "fourth", "inherited"]
    assert [p.is_out for p in some.methods[0].parameters] == [False, True]
    assert some.template is not None
    assert [(p.name, p.default) for p in some.template][:2] == [("T", False), ("N", True)]
    callable_ = [c for c in some.constructors if c.name]
    assert [[p.name for p in c.parameters] for c in callable_] == [["size"]]


def test_a_value_that_is_looked_at_and_taken_by_another_call(tmp_path: Path) -> None:
    """Even where taking says whether there was one; only one consumer can do so."""
    text = """
#include <mutex>
#include <optional>
#include <queue>
class WorkQueue {
    std::mutex mutex;
    std::queue<int> values;
  public:
    void push(const int &value) { std::lock_guard<std::mutex> guard(mutex); values.push(value); }
    std::optional<int> front() {
        std::lock_guard<std::mutex> guard(mutex);
        return values.empty() ? std::nullopt : std::optional<int>(values.front());
    }
    bool pop() {
        std::lock_guard<std::mutex> guard(mutex);
        if (values.empty()) return false;
        values.pop();
        return true;
    }
};
"""
    right = judged(tmp_path, "work.hpp", text)
    assert (right.verdict, right.reason) == ("bounded-ok", "")
    assert any("only one thread calls each of pop" in note for note in right.notes)
    careless = text.replace("if (values.empty()) return false;", "if (!values.empty())")
    careless = careless.replace("std::optional<int>(values.front())", "std::optional<int>(0)")
    assert judged(tmp_path, "work.hpp", careless).verdict == "unknown"


def test_more_places_for_answers_than_one(tmp_path: Path) -> None:
    text = """
#include <mutex>
#include <vector>
enum class Sign { go, stop };
class Stack {
    std::mutex mutex;
    std::vector<int> values;
  public:
    void push(const int &value, Sign = Sign::go) { LOCK; values.push_back(value); }
    bool pop(int &value, Sign &sign) {
        LOCK;
        if (values.empty()) return false;
        value = values.back();
        sign = Sign::stop;
        values.pop_back();
        return true;
    }
};
"""
    lock = "std::lock_guard<std::mutex> guard(mutex)"
    right = judged(tmp_path, "signs.hpp", text.replace("LOCK", lock))
    assert (right.verdict, right.reason) == ("bounded-ok", "")
    assert "races" in judged(tmp_path, "signs.hpp", text.replace("LOCK", "")).reason


def test_how_far_apart_things_lie_is_no_size(tmp_path: Path) -> None:
    text = """
#include <cstddef>
#include <mutex>
template <typename T, std::size_t Capacity, std::size_t CacheLineSize = 64> class Ring {
    static_assert(CacheLineSize >= sizeof(void *));
    alignas(CacheLineSize) std::mutex mutex;
    std::size_t head = 0, tail = 0;
    T slots[Capacity];
  public:
    bool push(const T &value) {
        std::lock_guard<std::mutex> guard(mutex);
        if (tail - head == Capacity) return false;
        slots[tail++ % Capacity] = value;
        return true;
    }
    bool pop(T &value) {
        std::lock_guard<std::mutex> guard(mutex);
        if (tail == head) return false;
        value = slots[head++ % Capacity];
        return true;
    }
};
"""
    right = judged(tmp_path, "ring.hpp", text)
    assert (right.verdict, right.capacity) == ("bounded-ok", 2)
    assert "taken for a queue of Ring<int,2>" in right.notes[0]
    required = text.replace("CacheLineSize = 64", "CacheLineSize")
    assert "Ring<int,2,64>" in judged(tmp_path, "ring.hpp", required).notes[0]
    assert judged(tmp_path, "ring.hpp", text.replace("++ % Cap", "++ % 2 * 0 % Cap")).verdict != (
        "bounded-ok"
    )


@pytest.mark.parametrize(
    ("kind", "none", "some"),
    [
        ("std::tuple<int, bool>", "{0, false}", "{value, true}"),
        ("std::tuple<bool, int>", "{false, 0}", "{true, value}"),
        ("Answer", "{0, false}", "{value, true}"),
    ],
)
def test_answers_of_two_parts(tmp_path: Path, kind: str, none: str, some: str) -> None:
    text = (
        """
#include <mutex>
#include <tuple>
#include <vector>
struct Answer { int value; bool there; };
class Stack {
    std::mutex mutex;
    std::vector<int> values;
  public:
    void push(const int &value) { LOCK; values.push_back(value); }
    KIND pop() {
        LOCK;
        if (values.empty()) return NONE;
        int value = values.back();
        values.pop_back();
        return SOME;
    }
};
""".replace("KIND", kind)
        .replace("NONE", none)
        .replace("SOME", some)
    )
    lock = "std::lock_guard<std::mutex> guard(mutex)"
    right = judged(tmp_path, "stack.hpp", text.replace("LOCK", lock))
    assert (right.verdict, right.reason) == ("bounded-ok", "")
    assert "races" in judged(tmp_path, "stack.hpp", text.replace("LOCK", "")).reason


def test_functions_that_say_that_one_thread_calls_them(tmp_path: Path) -> None:
    text = """
#include <atomic>
class Stack {
    int slots[4];
    std::atomic<int> count{0};
  public:
    void NAMEPush(const int &value) {
        int old = count.load();
        slots[old] = value;
        count.store(old + 1);
    }
    bool Pop(int &value) {
        int old = count.load();
        do {
            if (old == 0) return false;
            value = slots[old - 1];
        } while (!count.compare_exchange_weak(old, old - 1));
        return true;
    }
};
"""
    alone = judged(tmp_path, "stack.hpp", text.replace("NAME", "SingleThread"), calls=2)
    assert any("only one thread calls each of SingleThreadPush" in note for note in alone.notes)
    many = judged(tmp_path, "stack.hpp", text.replace("NAME", ""), calls=2)
    assert not any("only one thread" in note for note in many.notes)
    assert "races" in many.reason
