// A ring for a single producer and a single consumer.
#pragma once
#include <atomic>
#include <cstddef>

template <typename T> class Ring {
    using size_type = std::size_t;
    size_type size_;
    T *items_;
    std::atomic<size_type> head_{0}, tail_{0};

  public:
    explicit Ring(size_type size) : size_(size), items_(new T[size]) {}
    bool insert(const T &item) {
        auto tail = tail_.load(std::memory_order_relaxed);
        if (tail - head_.load(std::memory_order_acquire) == size_)
            return false;
        items_[tail % size_] = item;
        tail_.store(tail + 1, std::memory_order_release);
        return true;
    }
    bool remove() { return false; }
    bool remove(T *item) {
        auto head = head_.load(std::memory_order_relaxed);
        if (head == tail_.load(std::memory_order_acquire))
            return false;
        *item = items_[head % size_];
        head_.store(head + 1, std::memory_order_release);
        return true;
    }
    std::size_t readBuff(T *into, std::size_t count);
};
