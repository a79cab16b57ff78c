/* What tests for sanitizers call, said to Valgrind's tools instead. */
#include <stddef.h>
#include <stdint.h>
#include <valgrind/memcheck.h>

void __msan_poison(const volatile void *at, size_t size) {
    VALGRIND_MAKE_MEM_UNDEFINED(at, size);
}

void __msan_allocated_memory(const volatile void *at, size_t size) {
    VALGRIND_MAKE_MEM_UNDEFINED(at, size);
}

void __msan_unpoison(const volatile void *at, size_t size) {
    VALGRIND_MAKE_MEM_DEFINED(at, size);
}

void __msan_unpoison_string(const volatile char *at) {
    size_t size = 0;
    do
        VALGRIND_MAKE_MEM_DEFINED(at + size, 1);
    while (at[size++]);
}

/* The index of the first byte that is not defined, or -1. */
intptr_t __msan_test_shadow(const volatile void *at, size_t size) {
    VALGRIND_DISABLE_ERROR_REPORTING;
    uintptr_t first = VALGRIND_CHECK_MEM_IS_DEFINED(at, size);
    VALGRIND_ENABLE_ERROR_REPORTING;
    return first ? (intptr_t)(first - (uintptr_t)at) : -1;
}

void __msan_check_mem_is_initialized(const volatile void *at, size_t size) {
    (void)VALGRIND_CHECK_MEM_IS_DEFINED(at, size);
}

void __msan_print_shadow(const volatile void *at, size_t size) {
    (void)at, (void)size;
}

void __asan_poison_memory_region(const volatile void *at, size_t size) {
    VALGRIND_MAKE_MEM_NOACCESS(at, size);
}

void __asan_unpoison_memory_region(const volatile void *at, size_t size) {
    VALGRIND_MAKE_MEM_DEFINED(at, size);
}

void __lsan_do_leak_check(void) {}

void __lsan_disable(void) {}

void __lsan_enable(void) {}

void __lsan_ignore_object(const void *block) {
    (void)block;
}
