// SPDX-License-Identifier: GPL-2.0-or-later
// Every way to get and give back a block; prints "kind address size" in order.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>

static void say(const char *what, void *p, size_t n) {
    static char lines[8192];
    static size_t used;
    if (!what) {
        fwrite(lines, 1, used, stdout);
        return;
    }
    used += snprintf(lines + used, sizeof lines - used, "%s %p %zu\n", what, p, n);
}

int main() {
    void *p;
    setvbuf(stdout, nullptr, _IONBF, 0);
    p = malloc(10), say("malloc", p, 10), say("usable", p, malloc_usable_size(p)), free(p);
    p = malloc(0), say("malloc", p, 0), free(p);
    p = calloc(3, 7), say("calloc", p, 21), free(p);
    p = memalign(256, 100), say("memalign", p, 100), free(p);
    posix_memalign(&p, 64, 33), say("memalign", p, 33), free(p);
    p = aligned_alloc(32, 64), say("memalign", p, 64), free(p);
    p = valloc(5), say("memalign", p, 5), free(p);
    p = operator new(12), say("new", p, 12), operator delete(p);
    p = operator new[](13), say("new[]", p, 13), operator delete[](p);
    p = operator new(14, std::nothrow), say("new", p, 14), operator delete(p, std::nothrow);
    p = operator new[](15, std::nothrow), say("new[]", p, 15), operator delete[](p, std::nothrow);
    p = operator new(16, std::align_val_t(128)), say("new", p, 16), operator delete(p, std::align_val_t(128));
    p = operator new[](17, std::align_val_t(64)), say("new[]", p, 17), operator delete[](p, std::align_val_t(64));
    p = operator new(18, std::align_val_t(64), std::nothrow), say("new", p, 18), operator delete(p, 18, std::align_val_t(64));
    p = operator new(19), say("new", p, 19), operator delete(p, 19);
    p = realloc(nullptr, 20), say("malloc", p, 20);
    memset(p, 5, 20);
    p = realloc(p, 5000), say("realloc", p, 5000);
    p = realloc(p, 40), say("realloc", p, 40);
    p = reallocarray(p, 10, 30), say("realloc", p, 300);
    say(((char *)p)[19] == 5 ? "kept" : "lost", nullptr, 0);
    free(p);
    volatile size_t huge = SIZE_MAX / 2 + 10;
    errno = 0;
    p = calloc(huge, 4), say(p ? "bad" : "null", nullptr, errno);
    errno = 0;
    p = malloc(huge), say(p ? "bad" : "null", nullptr, errno);
    p = malloc(8);
    p = realloc(p, huge) ? nullptr : p;
    say("malloc", p, 8), free(p);
    say("aligned", nullptr, posix_memalign(&p, 3, 8));
    free(nullptr);
    p = operator new(huge, std::nothrow), say(p ? "bad" : "nothrow", nullptr, 0);
    say(nullptr, nullptr, 0);
}
