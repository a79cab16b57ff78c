/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The preload object: Valgrind's replacements of the allocation family are linked in whole. */
typedef int hs_empty;
