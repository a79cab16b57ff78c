// A queue that also counts its values, in two containers whose code is not all in headers.
#pragma once
#include <list>
#include <map>
#include <mutex>

class CountedQueue {
    std::mutex mutex_;
    std::list<int> order_;
    std::map<int, int> times_;

  public:
    void push(int value) {
        std::lock_guard<std::mutex> guard(mutex_);
        order_.push_back(value);
        ++times_[value];
    }
    bool pop(int &value) {
        std::lock_guard<std::mutex> guard(mutex_);
        if (order_.empty())
            return false;
        value = order_.front();
        order_.pop_front();
        return times_.erase(value) == 1;
    }
};
