/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses of memory that was never mapped, and jumps there. Only the processor notices them; the
 * core shows every signal to its debugger's server before it delivers it, and that is where it is
 * looked at. How many bytes there were is not known.
 */
#include "functions/functions.h"
#include "program/program.h"
#include "shared/addressable.h"
#include "shared/errors.h"
#include "shared/listeners.h"
#include "shared/modules.h"
#include "shared/options.h"
#include "walk/twins.h"

#define BY_KERNEL 128 /* SI_KERNEL: no memory can be at the address, which is not said */

Bool __wrap_vgPlain_gdbserver_report_signal(vki_siginfo_t *info, ThreadId tid);
Bool __real_vgPlain_gdbserver_report_signal(vki_siginfo_t *info, ThreadId tid);

/* ---- the instruction ---- */

#define NO_REGISTER 16u

struct instruction {
    Bool stores; /* and does not read what it stores to */
    Bool far;    /* it has an address, that of: base + index << shift + displacement */
    UInt base, index, shift;
    Word displacement;
};

static Bool is_prefix(UChar byte) {
    switch (byte) {
    case 0x26:
    case 0x2E:
    case 0x36:
    case 0x3E:
    case 0x64 ... 0x67: /* segments, operand and address size */
    case 0xF0:
    case 0xF2:
    case 0xF3:
        return True;
    default:
        return False;
    }
}

static Bool stores_far(UChar opcode) { /* behind 0F, or in VEX and EVEX */
    switch (opcode) {
    case 0x11:
    case 0x13:
    case 0x17:
    case 0x29:
    case 0x2B:
    case 0x7F:
    case 0xC3:
    case 0xD6:
    case 0xE7:
    case 0x90 ... 0x9F: /* setcc */
        return True;
    default:
        return False;
    }
}

static Bool stores(UChar opcode) {
    switch (opcode) {
    case 0x50 ... 0x57: /* push */
    case 0x68:
    case 0x6A:
    case 0x88: /* mov */
    case 0x89:
    case 0xA2:
    case 0xA3:
    case 0xAA: /* stos */
    case 0xAB:
    case 0xC6:
    case 0xC7:
    case 0xE8: /* call */
        return True;
    default:
        return False;
    }
}

/* Where the opcode of an instruction in VEX or EVEX is, 0: it is none. */
static UInt vex_length(UChar byte) {
    return byte == 0xC5 ? 2 : byte == 0xC4 ? 3 : byte == 0x62 ? 4 : 0;
}

/* What stands behind the opcode: ModRM, SIB and the displacement, the upper bits of the registers
 * given. (Of EVEX, a displacement of one byte counts as one.) */
static void decode_address(const UChar *code, UInt high_base, UInt high_index,
                           struct instruction *made) {
    UInt form = code[0] >> 6, low = code[0] & 7;
    made->far = form != 3 && (code[0] & 0xC7) != 5;
    made->base = low | high_base << 3;
    made->index = NO_REGISTER;
    if (low == 4) {
        UChar sib = *++code;
        made->base = (sib & 7) | high_base << 3;
        made->index = (sib >> 3 & 7) | high_index << 3;
        made->shift = sib >> 6;
        if (made->index == 4) /* there is none */
            made->index = NO_REGISTER;
        if (form == 0 && (sib & 7) == 5) {
            made->base = NO_REGISTER;
            form = 2;
        }
    }
    code++;
    if (form == 1)
        made->displacement = (signed char)*code;
    else if (form == 2)
        made->displacement = *(const Int *)code;
}

static struct instruction decode(const UChar *code) {
    struct instruction made = {.stores = False};
    UInt high = 0, high_index = 0, vex;
    while (is_prefix(*code))
        code++;
    if ((*code & 0xF0) == 0x40) { /* REX */
        high = *code & 1;
        high_index = *code++ >> 1 & 1;
    }
    vex = vex_length(*code);
    if (vex) {
        high = vex > 2 && !(code[1] & 0x20);
        high_index = vex > 2 && !(code[1] & 0x40);
        code += vex;
        made.stores = stores_far(*code);
    } else if (*code == 0x0F) {
        made.stores = stores_far(*++code);
        if (*code == 0x38 || *code == 0x3A)
            code++;
    } else
        made.stores = stores(*code);
    decode_address(code + 1, high, high_index, &made);
    return made;
}

/* ---- telling ---- */

static void tell(ThreadId tid, Addr address, Addr code) {
    struct hs_error error = {.kind = HSW_UNADDRESSABLE_READ, .address = address};
    Bool filled = address - hs_target.start < hs_target.length; /* by a string function */
    hs_thread_runs(tid);
    hs_send_pending();
    HS_TELL(left, VG_(get_IP)(tid));
    if (code != address) { /* else it is a jump, told of whoever made it */
        error.code = code;
        error.own = hs_is_own(code);
        if (filled || decode((const UChar *)code).stores)
            error.kind = HSW_UNADDRESSABLE_WRITE;
    }
    hs_tell_error(&error);
}

static Bool can_be_mapped(Addr address) {
    return !(address >> 47);
}

static Addr value_of(ThreadId tid, UInt number) {
    Addr value = 0;
    if (number != NO_REGISTER)
        VG_(get_shadow_regs_area)
    (tid, (UChar *)&value, 0, offsetof(VexGuestAMD64State, guest_RAX) + 8 * number, 8);
    return value;
}

/* The kernel does not say an address that cannot exist: what the instruction computed. */
static void tell_impossible(ThreadId tid, Addr code) {
    struct instruction at = decode((const UChar *)code);
    Addr address = hs_target.start;
    if (can_be_mapped(address) && at.far)
        address = value_of(tid, at.base) + (value_of(tid, at.index) << at.shift) + at.displacement;
    if (!can_be_mapped(address))
        tell(tid, address, code);
}

static void look(const vki_siginfo_t *info, ThreadId tid) {
    Addr address = (Addr)info->_sifields._sigfault._addr, code;
    hs_forget_twin(tid);
    code = VG_(get_IP)(tid);
    if (info->si_code == BY_KERNEL)
        tell_impossible(tid, code);
    else if (address == code ||
             (info->si_code == VKI_SEGV_MAPERR && hs_first_unaddressable(address, 1) != address))
        tell(tid, address, code); /* else it was told before it was made */
    hs_target = (struct hs_target){0, 0};
}

Bool __wrap_vgPlain_gdbserver_report_signal(vki_siginfo_t *info, ThreadId tid) {
    if (hs_options.check && info->si_signo == VKI_SIGSEGV)
        look(info, tid);
    return __real_vgPlain_gdbserver_report_signal(info, tid);
}
