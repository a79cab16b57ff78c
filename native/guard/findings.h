/* Findings: each written once per kind and place, and counted.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HEAPSTORY_GUARD_FINDINGS_H
#define HEAPSTORY_GUARD_FINDINGS_H

#include "blocks.h"
#include "output.h"

/* `site`: where it was noticed (0: nowhere in particular, as at exit); `block` may be NULL. */
void finding(enum finding kind, const void *address, uint32_t site, const struct block *block,
             uint8_t mark, const char *text);
void finding_broken_fence(char *user, uint32_t site, struct block *block);
const char *mark_name(uint8_t mark);
/* A block as fields of a line. */
void put_block(struct lines *lines, const struct block *block, uint8_t mark);
void put_bytes(struct lines *lines, const uint8_t *bytes, size_t count);
/* At the end: how often each was found. */
void findings_count(struct lines *lines);
bool findings_any(void);
/* In a forked child: they are the parent's. */
void findings_forget(void);

#endif
