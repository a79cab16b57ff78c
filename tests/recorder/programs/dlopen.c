/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "truth.h"
#include <dlfcn.h>
#include <stdlib.h>

int main(int count, char **words) {
    void *library = dlopen(words[1], RTLD_NOW);
    long *p = malloc(8);
    ((void (*)(long *))dlsym(library, "library_touch"))(p);
    truth_bytes("global", dlsym(library, "library_data"), 8);
    truth_bytes("global", (long *)dlsym(library, "library_zeros") + 2499, 16);
    truth_bytes("block", p, 8);
    dlclose(library);
    return 0;
}
