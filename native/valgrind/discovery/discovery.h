/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What main.c knows of this folder. */
#ifndef HEAPSTORY_DISCOVERY_DISCOVERY_H
#define HEAPSTORY_DISCOVERY_DISCOVERY_H

#include "walk/pass.h"

void hs_discovery_start(void);
extern const struct hs_pass hs_discovery_pass;
extern const struct hs_pass hs_free_list_pass; /* behind the record pass: nodes begin after the
                                                * store that took them from a list */

#endif
