// The most recently used decoded pieces of a trace.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace heapstory {

template <class Key, class Value> class Cache {
  public:
    explicit Cache(size_t capacity) : capacity_(capacity) {}

    // The cached value, or a new one made by `make(Value &)`.
    template <class Make> std::shared_ptr<const Value> get(const Key &key, Make make) {
        {
            std::lock_guard lock(mutex_);
            if (auto found = entries_.find(key); found != entries_.end()) {
                recent_.splice(recent_.end(), recent_, found->second.position);
                return found->second.value;
            }
        }
        auto value = std::make_shared<Value>();
        make(*value);
        std::lock_guard lock(mutex_);
        auto [at, added] = entries_.try_emplace(key);
        if (added) {
            if (entries_.size() > capacity_) {
                entries_.erase(recent_.front());
                recent_.pop_front();
            }
            at->second = {value, recent_.insert(recent_.end(), key)};
        }
        return at->second.value;
    }

  private:
    struct Entry {
        std::shared_ptr<const Value> value;
        typename std::list<Key>::iterator position;
    };
    size_t capacity_;
    std::mutex mutex_;
    std::list<Key> recent_;
    std::unordered_map<Key, Entry> entries_;
};

} // namespace heapstory
