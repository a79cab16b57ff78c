// SPDX-License-Identifier: GPL-2.0-or-later
// Every form of operator new, asked for more than there is, without and with a new handler. With an
// argument: each asked twice for a little. Says which of them threw, and what was unwound.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>

static volatile size_t huge = SIZE_MAX / 4;
static const auto wide = std::align_val_t(64);
static int handled;

struct Watched {
    ~Watched() {
        if (std::uncaught_exceptions())
            puts("unwound");
    }
};

static void give_up() {
    puts("handler");
    if (++handled % 2 == 0)
        std::set_new_handler(nullptr);
}

static void *ask(int form, size_t size) {
    Watched watched;
    switch (form) {
    case 0: return operator new(size);
    case 1: return operator new[](size);
    case 2: return operator new(size, wide);
    case 3: return operator new[](size, wide);
    case 4: return operator new(size, std::nothrow);
    default: return operator new(size, wide, std::nothrow);
    }
}

static void release(int form, void *p) {
    switch (form) {
    case 0: case 4: return operator delete(p);
    case 1: return operator delete[](p);
    case 3: return operator delete[](p, wide);
    default: return operator delete(p, wide);
    }
}

static void report(int form, size_t size) {
    try {
        void *p = ask(form, size);
        if (!p)
            printf("form %d: null\n", form);
        release(form, p);
    } catch (const std::bad_alloc &error) {
        printf("form %d: %s\n", form, error.what());
    }
}

int main(int argc, char **argv) {
    setvbuf(stdout, nullptr, _IONBF, 0);
    if (argc > 1) {
        for (int form = 0; form < 12; form++)
            report(form % 6, 40);
        return 0;
    }
    for (int form = 0; form < 6; form++)
        report(form, huge);
    for (int form = 0; form < 4; form++) {
        std::set_new_handler(give_up);
        report(form, huge);
    }
}
