/* What heapstory knows of the program before it starts: a file beside the reports.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     exe PATH            of whose addresses, as its file has them, the rest speaks
 *     page START-END      code whose blocks get pages of their own
 *     numbers START-END   variables that by their types hold numbers, and no address
 */
#ifndef HEAPSTORY_GUARD_PROGRAM_H
#define HEAPSTORY_GUARD_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* Reads FOLDER/program, if it is this program that it speaks of. */
void program_start(const char *folder);

/* Whether any code was named, and whether a return address is in it. */
bool program_names_code(void);
bool program_is_named(const uintptr_t *frames, uint32_t count);

/* Calls for the memory that holds numbers. */
typedef void numbers_visitor(uintptr_t start, uintptr_t end);
void program_numbers(numbers_visitor *visit);

#endif
