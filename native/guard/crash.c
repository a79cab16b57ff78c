/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "crash.h"
#include "cfi.h"
#include "findings.h"
#include "gone.h"
#include "kernel.h"
#include "live.h"
#include "modules.h"
#include "paged.h"
#include "quarantine.h"

#include <ucontext.h>

#define STACK_WORDS 64
#define NEAR 256 /* bytes beyond a block that still belong to it for a wild pointer */

extern int __sigaction(int, const struct sigaction *, struct sigaction *);

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
enum { SIGNALS = sizeof signals / sizeof *signals };
static struct sigaction programs[SIGNALS]; /* what the program asked for */
static bool watching;
static int reported; /* a crash in the crash report ends it */

static const struct {
    const char *name;
    int number;
} registers[] = {{"rip", REG_RIP}, {"rax", REG_RAX}, {"rbx", REG_RBX}, {"rcx", REG_RCX},
                 {"rdx", REG_RDX}, {"rsi", REG_RSI}, {"rdi", REG_RDI}, {"rbp", REG_RBP},
                 {"rsp", REG_RSP}, {"r8", REG_R8},   {"r9", REG_R9},   {"r10", REG_R10},
                 {"r11", REG_R11}, {"r12", REG_R12}, {"r13", REG_R13}, {"r14", REG_R14},
                 {"r15", REG_R15}};

static const char in_fence[] = "fence";

/* Whether a value is a fill pattern, perhaps with a small offset, or half of one. */
static const char *pattern_of(uint64_t value) {
    static const struct {
        uint8_t byte;
        const char *name;
    } patterns[] = {{FILL_NEW, "new"}, {FILL_FREED, "freed"}};
    for (unsigned i = 0; i < 2; i++) {
        uint64_t whole = patterns[i].byte * 0x0101010101010101ull;
        uint64_t high = value >> 32;
        if (value >> 16 == whole >> 16 || (value - whole) + 0x10000 < 0x20000)
            return patterns[i].name;
        if ((uint32_t)value == (uint32_t)whole && (!high || high == 0xffffffff))
            return patterns[i].name;
    }
    uint32_t site = fence_site(value);
    if (value >> 48 == FENCE_TOP >> 48 && (uint8_t)value == FENCE_LOW && sites[site].key)
        return in_fence;
    return NULL;
}

static void put_pattern(struct lines *lines, const char *name, uint64_t value, bool fault) {
    const char *pattern = pattern_of(value);
    if (!pattern || (pattern == in_fence && !fault)) /* a signal that was sent read no fence */
        return;
    put_text(lines, "R ");
    put_text(lines, name);
    put_hex(lines, value);
    put_text(lines, " ");
    put_text(lines, pattern);
    put_end(lines);
}

/* The block that an address is in, or just beyond. */
static void put_block_of(struct lines *lines, const char *name, uint64_t value) {
    struct block block;
    uintptr_t start = value >> 47 ? 0 : marks_before(value, (size_t)1 << 20);
    uint8_t mark = start ? *mark_of((void *)start) : MARK_NONE;
    bool known = is_live(mark)             ? undress((char *)start, &block)
                 : mark == MARK_QUARANTINE ? undress_header((char *)start, &block)
                                           : false;
    if (!known || value > start + block.size + NEAR)
        return;
    put_text(lines, "K ");
    put_text(lines, name);
    put_hex(lines, value);
    put_block(lines, &block, mark);
    put_end(lines);
}

/* By the unwinding tables, without trust in what registers and stack hold. */
static uint32_t stack_at(const greg_t *regs, uintptr_t *frames) {
    uintptr_t sp = (uintptr_t)regs[REG_RSP], bp = (uintptr_t)regs[REG_RBP], address;
    uint32_t count = 0;
    frames[count++] = address = (uintptr_t)regs[REG_RIP];
    while (count < MOST_FRAMES) {
        struct step step = cfi_step(count == 1 ? address + 1 : address);
        uintptr_t end = (step.from == FROM_SP ? sp : bp) + (uintptr_t)(intptr_t)step.size;
        if (step.from == FROM_NOTHING || end < sp + 8 || end & 7 ||
            (step.saved && !kernel_read_memory(&bp, (char *)end + step.saved, sizeof bp)) ||
            !kernel_read_memory(&address, (char *)end - 8, sizeof address) || !address)
            break;
        frames[count++] = address;
        sp = end;
    }
    return count;
}

static void put_crash(struct lines *lines, const siginfo_t *info, const greg_t *regs) {
    uintptr_t frames[MOST_FRAMES];
    uint32_t count = stack_at(regs, frames);
    /* An address that is not canonical raises a fault without saying which it was. */
    bool fault = info->si_code > 0 && info->si_code != SI_KERNEL;
    put_text(lines, "X");
    put_number(lines, (uint64_t)info->si_signo);
    put_hex(lines, fault);
    put_hex(lines, fault ? (uintptr_t)info->si_addr : 0);
    put_stack(lines, frames, count);
    put_end(lines);
    for (unsigned i = 0; i < sizeof registers / sizeof *registers; i++)
        put_pattern(lines, registers[i].name, (uint64_t)regs[registers[i].number],
                    info->si_code > 0);
    put_pattern(lines, "address", fault ? (uintptr_t)info->si_addr : 0, true);
    put_block_of(lines, "address", fault ? (uintptr_t)info->si_addr : 0);
    for (unsigned i = 1; i < sizeof registers / sizeof *registers; i++)
        put_block_of(lines, registers[i].name, (uint64_t)regs[registers[i].number]);
    uint64_t words[STACK_WORDS];
    if (!kernel_read_memory(words, (void *)regs[REG_RSP], sizeof words))
        return;
    for (unsigned i = 0; i < STACK_WORDS; i++) {
        put_pattern(lines, "stack", words[i], info->si_code > 0);
        put_block_of(lines, "stack", words[i]);
    }
}

/* Whether an access that is no jump went to where nothing is, and where a block was. */
static bool was_block(const siginfo_t *info, const greg_t *regs, struct block *block) {
    bool is_jump = regs[REG_ERR] & 16;
    return info->si_code == SEGV_MAPERR && !is_jump && gone_find((uintptr_t)info->si_addr, block);
}

/* A fault in memory that is kept out of reach, or is the kernel's again, is a finding of its own.
 */
static void look_for_block(const siginfo_t *info, const greg_t *regs) {
    struct block block;
    bool live = false;
    uintptr_t address = (uintptr_t)info->si_addr;
    if (info->si_signo != SIGSEGV || info->si_code <= 0 ||
        !(paged_block(address, &block, &live) || was_block(info, regs, &block)))
        return;
    uintptr_t frames[MOST_FRAMES];
    uint32_t count = stack_at(regs, frames);
    frames[0]++; /* as if it were a return address, which is what a site has */
    struct lines text;
    text.used = 0;
    int64_t beyond = (int64_t)(address - (uintptr_t)block.user) - (int64_t)block.size;
    put_text(&text, !live         ? "the block was freed;"
                    : beyond >= 0 ? "beyond its end by"
                                  : "before its start by");
    if (live)
        put_number(&text, beyond >= 0 ? (uint64_t)beyond + 1 : (uintptr_t)block.user - address);
    else
        put_number(&text, address - (uintptr_t)block.user);
    put_text(&text, live ? " bytes" : " bytes from its start");
    text.text[text.used] = 0;
    bool writes = regs[REG_ERR] & 2;
    finding(writes ? UNADDRESSABLE_WRITE : UNADDRESSABLE_READ, (void *)address,
            site_of_frames(frames, count), &block, live ? MARK_MALLOC : MARK_QUARANTINE, text.text);
}

static void crashed(int number, siginfo_t *info, void *context) {
    if (!__atomic_exchange_n(&reported, 1, __ATOMIC_ACQ_REL)) {
        struct lines lines;
        lines.used = 0;
        modules_write(&lines);
        put_crash(&lines, info, ((ucontext_t *)context)->uc_mcontext.gregs);
        output_flush(&lines);
        look_for_block(info, ((ucontext_t *)context)->uc_mcontext.gregs);
        live_look_over(&lines, 0);
        findings_count(&lines);
        output_flush(&lines);
    }
    /* It dies by its own signal: a fault happens again on return, one that was sent is sent again.
     */
    struct sigaction plain = {.sa_handler = SIG_DFL};
    __sigaction(number, &plain, NULL);
    if (info->si_code <= 0)
        kernel(SYS_tgkill, kernel(SYS_getpid), kernel(SYS_gettid), number);
}

static void watch(int number) {
    struct sigaction ours = {.sa_sigaction = crashed,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    __sigaction(number, &ours, NULL);
}

static int index_of(int number) {
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] == number)
            return i;
    return -1;
}

void crash_start(void) {
    for (int i = 0; i < SIGNALS; i++) {
        __sigaction(signals[i], NULL, &programs[i]);
        if (programs[i].sa_handler == SIG_DFL)
            watch(signals[i]);
    }
    watching = true;
}

int crash_action(int number, const struct sigaction *action, struct sigaction *old) {
    int i = watching ? index_of(number) : -1;
    if (i < 0)
        return __sigaction(number, action, old);
    struct sigaction before = programs[i];
    if (action) {
        int result = __sigaction(number, action, NULL);
        if (result)
            return result;
        programs[i] = *action;
        if (!(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL)
            watch(number);
    }
    if (old)
        *old = before;
    return 0;
}
