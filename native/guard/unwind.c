/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "unwind.h"

#include "cfi.h"

#include <string.h>

#define STEPS 16384 /* addresses that are remembered */
#define PROBES 8
#define FAR ((uintptr_t)64 << 20) /* no stack is larger */

static struct {
    uintptr_t address; /* written last; 0: free */
    struct step step;
} steps[STEPS];

extern void *__libc_stack_end; /* of the first thread, from the loader */

/* Where the stack that holds `here` ends. A thread's own block (fs:0x10) stands at the top of a
 * stack that libc made; other stacks (coroutines, signal stacks) are not followed. */
static uintptr_t stack_end(uintptr_t here) {
    uintptr_t self;
    __asm__("movq %%fs:0x10, %0" : "=r"(self));
    if (here < self && self - here < FAR)
        return self;
    uintptr_t first = (uintptr_t)__libc_stack_end;
    return here < first && first - here < FAR ? first : 0;
}

static struct step step_of(uintptr_t address) {
    size_t slot = address * 0x9e3779b97f4a7c15ull >> 50;
    for (size_t probe = 0; probe < PROBES; probe++) {
        size_t at = (slot + probe) % STEPS;
        uintptr_t found = __atomic_load_n(&steps[at].address, __ATOMIC_ACQUIRE);
        if (found == address)
            return steps[at].step;
        uintptr_t taken = 1; /* no code stands there: others go past it until it is complete */
        if (!found && __atomic_compare_exchange_n(&steps[at].address, &found, taken, false,
                                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            struct step made = cfi_step(address);
            steps[at].step = made;
            __atomic_store_n(&steps[at].address, address, __ATOMIC_RELEASE);
            return made;
        }
    }
    return cfi_step(address);
}

uint32_t unwind(struct caller caller, uint32_t most, uintptr_t *frames, int32_t *above) {
    uintptr_t address = caller.address, sp = caller_sp(caller), bp = caller_bp(caller),
              end = stack_end(sp);
    uint32_t count = 0;
    while (count < most) {
        struct step step = step_of(address);
        uintptr_t frame = (step.from == FROM_SP ? sp : bp) + (uintptr_t)(intptr_t)step.size;
        if (step.from == FROM_NOTHING || frame < sp + 8 || frame > end || frame & 7)
            break;
        if (step.saved) {
            uintptr_t at = frame + (uintptr_t)(intptr_t)step.saved;
            if (at < sp || at > frame - 8)
                break;
            bp = *(uintptr_t *)at;
        }
        address = *(uintptr_t *)(frame - 8);
        if (!address)
            break;
        frames[count] = address;
        above[count++] = (int32_t)(frame - 8 - caller_sp(caller));
        sp = frame;
    }
    return count;
}

void unwind_forget(void) {
    for (size_t i = 0; i < STEPS; i++)
        __atomic_store_n(&steps[i].address, 0, __ATOMIC_RELEASE);
}
