// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/memory.h"

#include <cstdint>

namespace heapstory {

void *map_huge(size_t bytes) {
    // The kernel chooses the place: ask for one huge page more and give back what sticks out.
    size_t size = whole_huge_pages(bytes);
    void *map =
        mmap(nullptr, size + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        throw std::bad_alloc();
    auto begin = reinterpret_cast<uintptr_t>(map);
    uintptr_t first = whole_huge_pages(begin);
    if (first > begin)
        munmap(map, first - begin);
    munmap(reinterpret_cast<void *>(first + size), huge_page - (first - begin));
    madvise(reinterpret_cast<void *>(first), size, MADV_HUGEPAGE); // a wish, no need
    return reinterpret_cast<void *>(first);
}

void unmap_huge(void *memory, size_t bytes) {
    munmap(memory, whole_huge_pages(bytes));
}

} // namespace heapstory
