// Memory for big columns: whole huge pages, kept for whoever asks next when they are given back.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <new>
#include <sys/mman.h>
#include <vector>

namespace heapstory {

constexpr size_t huge_page = size_t(1) << 21;

constexpr size_t whole_huge_pages(size_t bytes) {
    return (bytes + huge_page - 1) & ~(huge_page - 1);
}

// Memory at a huge page's boundary, with anything in it; std::bad_alloc if there is none.
void *map_huge(size_t bytes);
void *map_zeroed(size_t bytes); // the same with zeros
void unmap_huge(void *memory, size_t bytes);

template <class T> struct HugeAllocator {
    using value_type = T;
    HugeAllocator() = default;
    template <class U> HugeAllocator(const HugeAllocator<U> &) {}

    T *allocate(size_t count) {
        size_t bytes = count * sizeof(T);
        return static_cast<T *>(bytes < huge_page ? ::operator new(bytes, alignment)
                                                  : map_huge(bytes));
    }
    void deallocate(T *memory, size_t count) {
        size_t bytes = count * sizeof(T);
        if (bytes < huge_page)
            ::operator delete(memory, alignment);
        else
            unmap_huge(memory, bytes);
    }
    bool operator==(const HugeAllocator &) const { return true; }

  private:
    static constexpr std::align_val_t alignment{alignof(T)};
};

template <class T> using Values = std::vector<T, HugeAllocator<T>>;

} // namespace heapstory
