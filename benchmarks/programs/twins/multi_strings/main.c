/* The result of one helper is given to the next as an argument and lost. */
#include "text.h"
#include <stdio.h>
#include <stdlib.h>

int main(void) {
#ifdef LEAK
    char *name = text_upper(text_join("grace", "hopper", ' '));
#else
    char *joined = text_join("grace", "hopper", ' ');
    char *name = text_upper(joined);
    free(joined);
#endif
    puts(name);
    free(name);
    return 0;
}
