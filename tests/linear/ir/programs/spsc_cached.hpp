// A queue of one producer and one consumer that wait; each keeps what it last saw of the other.
#pragma once
#include <atomic>
#include <cstddef>

template <typename T, std::size_t SIZE, T NONE> class spsc_cached {
    T items_[SIZE] = {};
    std::atomic<std::size_t> head_{0}, tail_{0};
    std::size_t head_seen_ = 0, tail_seen_ = 0;

  public:
    bool push(const T &item) {
        auto tail = tail_.load(std::memory_order_relaxed);
        while (tail - head_seen_ >= SIZE)
            head_seen_ = head_.load(std::memory_order_acquire);
        items_[tail % SIZE] = item;
        tail_.store(tail + 1, std::memory_order_release);
        return true;
    }
    bool pop(T &item) {
        auto head = head_.load(std::memory_order_relaxed);
        while (tail_seen_ <= head)
            tail_seen_ = tail_.load(std::memory_order_acquire);
        item = items_[head % SIZE];
        head_.store(head + 1, std::memory_order_release);
        return true;
    }
};
