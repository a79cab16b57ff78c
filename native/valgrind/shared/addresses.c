/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing set of addresses: open addressing, no removal. */
#include "shared/addresses.h"

static SizeT home(const struct hs_addresses *set, Addr address) {
    return address * 0x9E3779B97F4A7C15ull >> 24 & (set->n_slots - 1);
}

static Addr *slot(const struct hs_addresses *set, Addr address) {
    SizeT i = home(set, address);
    while (set->slots[i] && set->slots[i] != address)
        i = (i + 1) & (set->n_slots - 1);
    return &set->slots[i];
}

static void grow(struct hs_addresses *set) {
    struct hs_addresses old = *set;
    set->n_slots = old.n_slots ? 2 * old.n_slots : 256;
    set->slots = VG_(calloc)("hs.addresses", set->n_slots, sizeof(Addr));
    for (SizeT i = 0; i < old.n_slots; i++)
        if (old.slots[i])
            *slot(set, old.slots[i]) = old.slots[i];
    if (old.slots)
        VG_(free)(old.slots);
}

Bool hs_addresses_have(const struct hs_addresses *set, Addr address) {
    return set->n_slots && *slot(set, address) == address;
}

Bool hs_addresses_add(struct hs_addresses *set, Addr address) {
    Addr *place;
    if (set->n_used * 2 >= set->n_slots)
        grow(set);
    place = slot(set, address);
    if (*place)
        return False;
    *place = address;
    set->n_used++;
    return True;
}

void hs_addresses_clear(struct hs_addresses *set) {
    if (set->slots)
        VG_(free)(set->slots);
    set->slots = NULL;
    set->n_slots = set->n_used = 0;
}
