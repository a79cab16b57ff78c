// Memory that is used here and there, by several threads, or ahead of time.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "store/memory.h"

#include <cstdlib>
#include <memory>

namespace heapstory {

// Tells the processor that memory will be read soon.
inline void fetch(const void *memory, size_t bytes) {
    constexpr size_t line = 64;
    auto *at = static_cast<const char *>(memory);
    for (const char *end = at + bytes; at < end; at += line)
        __builtin_prefetch(at);
}

// So many values of zero bytes each.
template <class T> class Zeroed {
  public:
    Zeroed() = default;
    explicit Zeroed(size_t count) : size_(count), memory_(get(count * sizeof(T)), {count}) {}

    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T *data() const { return memory_.get(); }
    T &operator[](size_t at) { return memory_.get()[at]; }
    const T &operator[](size_t at) const { return memory_.get()[at]; }

  private:
    static T *get(size_t bytes) {
        if (!bytes)
            return nullptr;
        void *memory = bytes < huge_page ? std::calloc(bytes, 1) : map_zeroed(bytes);
        if (!memory)
            throw std::bad_alloc();
        return static_cast<T *>(memory);
    }
    struct Free {
        size_t count = 0;
        void operator()(T *memory) const {
            if (count * sizeof(T) < huge_page)
                std::free(memory);
            else
                unmap_huge(memory, count * sizeof(T));
        }
    };
    size_t size_ = 0;
    std::unique_ptr<T, Free> memory_;
};

} // namespace heapstory
