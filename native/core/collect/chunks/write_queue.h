// Work that can wait: sorting, compressing and writing chunks on a thread of its own, in order.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// While the recorder waits for the collector its core is idle; this thread puts it to use.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace heapstory {

class WriteQueue {
  public:
    WriteQueue() : worker_([this] { work(); }) {}
    ~WriteQueue() {
        {
            std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        changed_.notify_all();
        worker_.join();
    }
    WriteQueue(const WriteQueue &) = delete;
    WriteQueue &operator=(const WriteQueue &) = delete;

    // Waits while many tasks are pending. Throws what an earlier task threw.
    void add(std::function<void()> task) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return tasks_.size() < most_pending || failure_; });
        if (failure_)
            std::rethrow_exception(failure_);
        tasks_.push_back(std::move(task));
        changed_.notify_all();
    }
    bool is_busy() const {
        std::lock_guard lock(mutex_);
        return busy_ || !tasks_.empty();
    }
    // Waits until everything is done. Throws what a task threw.
    void drain() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return (tasks_.empty() && !busy_) || failure_; });
        if (failure_)
            std::rethrow_exception(failure_);
    }

  private:
    static constexpr size_t most_pending = 6; // a few chunks, so that memory stays bounded

    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return !tasks_.empty() || stopping_; });
            if (tasks_.empty() || failure_)
                return;
            auto task = std::move(tasks_.front());
            tasks_.pop_front();
            busy_ = true;
            lock.unlock();
            std::exception_ptr failed;
            try {
                task();
            } catch (...) {
                failed = std::current_exception();
            }
            task = nullptr;
            lock.lock();
            busy_ = false;
            failure_ = failed;
            changed_.notify_all();
        }
    }

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    bool busy_ = false, stopping_ = false;
    std::exception_ptr failure_;
    std::thread worker_; // last: the others must exist when it starts
};

} // namespace heapstory
