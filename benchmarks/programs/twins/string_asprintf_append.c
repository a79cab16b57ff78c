/* Appending with asprintf to the same variable loses the old text. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *query = strdup("SELECT *");
    static const char *const parts[] = {"FROM t", "WHERE x", "ORDER BY y"};
    for (int i = 0; query && i < 3; i++) {
#ifdef LEAK
        if (asprintf(&query, "%s %s", query, parts[i]) < 0)
            query = NULL;
#else
        char *longer;
        if (asprintf(&longer, "%s %s", query, parts[i]) < 0)
            longer = NULL;
        free(query);
        query = longer;
#endif
    }
    puts(query ? query : "?");
    free(query);
    return 0;
}
