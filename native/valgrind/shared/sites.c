/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sites: the numbers by which records name instructions. When there are no more of them, further
 * ones are 0, "unknown".
 */
#include "shared/sites.h"

#include "shared/ring.h"

static UInt n_sites;

UInt hs_new_site(Addr instruction, UInt size, UInt kind, Bool own) {
    UInt id;
    if (n_sites + 1 >= HSW_FIRST_TAG)
        return 0;
    id = ++n_sites;
    hs_record(HSW_SITE, instruction, HSW_SITE_VALUE(id, size, kind, own ? HSW_SITE_OWN : 0));
    return id;
}
