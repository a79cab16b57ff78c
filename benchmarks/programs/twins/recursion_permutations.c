/* The copy for each permutation is released at the end of the branch, but not at a dead end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int permute(const char *letters, int fixed, int n) {
    if (fixed == n)
        return 1;
    int count = 0;
    for (int i = fixed; i < n; i++) {
        char *copy = strdup(letters);
        if (!copy)
            return count;
        char t = copy[fixed];
        copy[fixed] = copy[i];
        copy[i] = t;
        if (fixed > 0 && copy[fixed] == copy[fixed - 1]) {
#ifndef LEAK
            free(copy);
#endif
            continue;
        }
        count += permute(copy, fixed + 1, n);
        free(copy);
    }
    return count;
}

int main(void) {
    printf("%d %d\n", permute("abc", 0, 3), permute("aab", 0, 3));
    return 0;
}
