#pragma once
#include <atomic>
#include <cstddef>
#include <utility>
template <typename T> class SpscQueue {
  public:
    explicit SpscQueue(std::size_t capacity) : capacity_(capacity + 1), slots_(new T[capacity_]) {}
    ~SpscQueue() { delete[] slots_; }
    void push(const T &v) {
        while (!try_push(v)) {
        }
    }
    bool try_push(const T &v) {
        auto at = write_.load(std::memory_order_relaxed);
        auto next = at + 1 == capacity_ ? 0 : at + 1;
        if (next == read_.load(std::memory_order_acquire))
            return false;
        slots_[at] = v;
        write_.store(next, std::memory_order_release);
        return true;
    }
    T *front() {
        auto at = read_.load(std::memory_order_relaxed);
        if (write_.load(std::memory_order_acquire) == at)
            return nullptr;
        return &slots_[at];
    }
    void pop() {
        auto at = read_.load(std::memory_order_relaxed);
        auto next = at + 1 == capacity_ ? 0 : at + 1;
        read_.store(next, std::memory_order_release);
    }
    bool empty() const { return write_.load() == read_.load(); }

  private:
    std::size_t capacity_;
    T *slots_;
    std::atomic<std::size_t> write_{0}, read_{0};
};
