/* Functions of the program whose blocks get pages of their own.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HEAPSTORY_GUARD_NAMED_H
#define HEAPSTORY_GUARD_NAMED_H

#include <stdbool.h>
#include <stdint.h>

/* Their ranges as the program's file has them, "START-END START-END ..." in hexadecimal; false if
 * there are none. */
bool named_start(const char *ranges);
/* Whether a return address is in one of them. */
bool named_any(const uintptr_t *frames, uint32_t count);

#endif
