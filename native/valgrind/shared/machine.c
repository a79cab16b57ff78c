/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shared/machine.h"

const UShort hs_dwarf_registers[16] = {
    offsetof(VexGuestAMD64State, guest_RAX), offsetof(VexGuestAMD64State, guest_RDX),
    offsetof(VexGuestAMD64State, guest_RCX), offsetof(VexGuestAMD64State, guest_RBX),
    offsetof(VexGuestAMD64State, guest_RSI), offsetof(VexGuestAMD64State, guest_RDI),
    offsetof(VexGuestAMD64State, guest_RBP), offsetof(VexGuestAMD64State, guest_RSP),
    offsetof(VexGuestAMD64State, guest_R8),  offsetof(VexGuestAMD64State, guest_R9),
    offsetof(VexGuestAMD64State, guest_R10), offsetof(VexGuestAMD64State, guest_R11),
    offsetof(VexGuestAMD64State, guest_R12), offsetof(VexGuestAMD64State, guest_R13),
    offsetof(VexGuestAMD64State, guest_R14), offsetof(VexGuestAMD64State, guest_R15)};

Bool hs_follows_call(Addr address) {
    const NSegment *segment = VG_(am_find_nsegment)(address);
    const UChar *end = (const UChar *)address;
    if (!segment || !segment->hasX || address < segment->start + 7)
        return False;
    if (end[-5] == 0xE8) /* relative */
        return True;
    for (Int length = 2; length <= 7; length++) /* FF /2: through a register or memory */
        if (end[-length] == 0xFF && (end[-length + 1] >> 3 & 7) == 2)
            return True;
    return False;
}
