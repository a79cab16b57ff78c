// An allocator with malloc and operators new and delete that do not call it: a library to be
// preloaded (-DLIBRARY), and a program that prints where its objects lie.
#include <cstddef>
#include <cstdio>
#include <new>

#ifdef LIBRARY

#include <cstring>
#include <sys/mman.h>

namespace {
struct Free {
    Free *next;
};
constexpr std::size_t classes = 64, granule = 16;
Free *lists[classes];
char *at, *end;

__attribute__((noinline)) void *fresh(std::size_t size) {
    if (size_t(end - at) < size) {
        const std::size_t more = size > (1 << 20) ? size : 1 << 20;
        at = static_cast<char *>(
            mmap(nullptr, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        end = at + more;
    }
    at += size;
    return at - size;
}

// Before a block of malloc lies its class; objects of new say their size when they go.
__attribute__((always_inline)) inline void *take(std::size_t size) {
    const std::size_t number = (size + granule - 1) / granule;
    if (number < classes && lists[number]) {
        Free *first = lists[number];
        lists[number] = first->next;
        return first;
    }
    return fresh(number * granule);
}

// At the end all free blocks are turned round: code of the allocator that nobody calls.
__attribute__((destructor)) void turn_round() {
    for (Free *&list : lists) {
        Free *turned = nullptr;
        while (list) {
            Free *next = list->next;
            list->next = turned;
            turned = list;
            list = next;
        }
        list = turned;
    }
}

__attribute__((always_inline)) inline void give(void *block, std::size_t size) {
    const std::size_t number = (size + granule - 1) / granule;
    if (number >= classes)
        return;
    lists[number] = ::new (block) Free{lists[number]};
}
} // namespace

extern "C" {
void *malloc(std::size_t size) {
    char *block = static_cast<char *>(take(size + granule));
    std::memcpy(block, &size, sizeof size);
    return block + granule;
}
void free(void *block) {
    std::size_t size;
    if (!block)
        return;
    std::memcpy(&size, static_cast<char *>(block) - granule, sizeof size);
    give(static_cast<char *>(block) - granule, size + granule);
}
void *calloc(std::size_t count, std::size_t size) {
    return std::memset(malloc(count * size), 0, count * size);
}
void *realloc(void *old, std::size_t size) {
    void *block = malloc(size);
    std::size_t before = 0;
    if (!old)
        return block;
    std::memcpy(&before, static_cast<char *>(old) - granule, sizeof before);
    std::memcpy(block, old, before < size ? before : size);
    free(old);
    return block;
}
}

void *operator new(std::size_t size) {
    return take(size);
}
void operator delete(void *block) noexcept {}
void operator delete(void *block, std::size_t size) noexcept {
    if (block)
        give(block, size);
}

#else

struct Node {
    Node *next;
    long value[3];
};

int main() {
    Node *head = nullptr;
    for (long round = 0; round < 3; ++round) {
        for (long i = 0; i < 50; ++i)
            head = new Node{head, {i, i + 1, i + 2}};
        for (int i = 0; i < 40; ++i) {
            Node *next = head->next;
            delete head;
            head = next;
        }
    }
    for (Node *node = head; node; node = node->next)
        std::printf("%p\n", static_cast<void *>(node));
}

#endif
