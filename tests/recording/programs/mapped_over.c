/* Maps other memory over a variable: "anonymous", "file" or "moved". */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES 8192
#define ANYWHERE NULL

static long variable[BYTES / sizeof(long)] __attribute__((aligned(4096)));

int main(int count, char **words) {
    const char *way = words[count - 1];
    int shared = MAP_SHARED | MAP_FIXED, fresh = MAP_PRIVATE | MAP_ANONYMOUS, file;
    variable[3] = 1;
    variable[4] = 2;
    if (strcmp(way, "file") == 0) {
        file = memfd_create("file", 0);
        if (ftruncate(file, BYTES) != 0 || pwrite(file, &(long){5}, 8, 8) != 8)
            return 1;
        if (mmap(variable, BYTES, PROT_READ | PROT_WRITE, shared, file, 0) != variable)
            return 1;
    } else if (strcmp(way, "anonymous") == 0) {
        if (mmap(variable, BYTES, PROT_READ | PROT_WRITE, fresh | MAP_FIXED, -1, 0) != variable)
            return 1;
        variable[1] = 5;
    } else {
        long *other = mmap(ANYWHERE, BYTES, PROT_READ | PROT_WRITE, fresh, -1, 0);
        other[1] = 5;
        if (mremap(other, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, variable) != variable)
            return 1;
    }
    variable[4] = 7;
    variable[1000] = 8;
    return 0;
}
