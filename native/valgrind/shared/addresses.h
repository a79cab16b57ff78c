/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash set of addresses. */
#ifndef HEAPSTORY_SHARED_ADDRESSES_H
#define HEAPSTORY_SHARED_ADDRESSES_H

#include "shared/tool.h"

struct hs_addresses {
    Addr *slots;
    SizeT n_slots, n_used;
};
Bool hs_addresses_have(const struct hs_addresses *set, Addr address);
Bool hs_addresses_add(struct hs_addresses *set, Addr address); /* False: was there already */
void hs_addresses_clear(struct hs_addresses *set);

#endif
