/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A shared library with data of all kinds. */
long library_data = 5;
long library_zeros[3000];
void library_touch(long *p) {
    library_data = 6;
    library_zeros[2500] = 7;
    *p = 8;
}
