// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/memory.h"

#include "store/parallel.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace heapstory {

namespace {

// What was given back. The kernel clears every page it hands out, which takes longer than most of
// what is done with it, so it is not asked again; it may take these when it is short of memory.
class Kept {
  public:
    void *take(size_t size) {
        std::lock_guard lock(mutex_);
        auto block = blocks_.lower_bound(size);
        if (block == blocks_.end())
            return nullptr;
        auto [bytes, memory] = *block;
        blocks_.erase(block);
        total_ -= bytes;
        if (bytes > size)
            munmap(static_cast<char *>(memory) + size, bytes - size);
        return memory;
    }
    bool keep(void *memory, size_t size) {
        std::lock_guard lock(mutex_);
        if (total_ + size > most || madvise(memory, size, MADV_FREE) != 0)
            return false;
        blocks_.emplace(size, memory);
        total_ += size;
        return true;
    }

    // Whether there was anything.
    bool drop() {
        std::lock_guard lock(mutex_);
        for (auto [bytes, memory] : blocks_)
            munmap(memory, bytes);
        total_ = 0;
        return std::exchange(blocks_, {}).size() > 0;
    }

  private:
    static constexpr size_t most = size_t(2) << 30;

    std::mutex mutex_;
    std::multimap<size_t, void *> blocks_;
    size_t total_ = 0;
};

Kept &kept() {
    static Kept *instance = new Kept; // outlives every other static object
    return *instance;
}

void *map_fresh(size_t size) {
    // The kernel chooses the place: ask for one huge page more and give back what sticks out.
    void *map =
        mmap(nullptr, size + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) {
        if (kept().drop())
            return map_fresh(size);
        throw std::bad_alloc();
    }
    auto begin = reinterpret_cast<uintptr_t>(map);
    uintptr_t first = whole_huge_pages(begin);
    if (first > begin)
        munmap(map, first - begin);
    munmap(reinterpret_cast<void *>(first + size), huge_page - (first - begin));
    madvise(reinterpret_cast<void *>(first), size, MADV_HUGEPAGE); // a wish, no need
    return reinterpret_cast<void *>(first);
}

} // namespace

void *map_huge(size_t bytes) {
    size_t size = whole_huge_pages(bytes);
    void *memory = kept().take(size);
    return memory ? memory : map_fresh(size);
}

void *map_zeroed(size_t bytes) {
    size_t size = whole_huge_pages(bytes);
    void *memory = kept().take(size);
    if (!memory)
        return map_fresh(size);
    in_parallel(size / huge_page, [&](size_t page) {
        std::memset(static_cast<char *>(memory) + page * huge_page, 0, huge_page);
    });
    return memory;
}

void unmap_huge(void *memory, size_t bytes) {
    if (size_t size = whole_huge_pages(bytes); !kept().keep(memory, size))
        munmap(memory, size);
}

} // namespace heapstory
