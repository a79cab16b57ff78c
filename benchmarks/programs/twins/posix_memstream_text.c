/* The stream in memory is closed, but the text it leaves behind is not released. */
#include <stdio.h>
#include <stdlib.h>

static size_t render(int n) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return 0;
    for (int i = 0; i < n; i++)
        fprintf(out, "<li>%d</li>", i);
    fclose(out);
#ifndef LEAK
    free(text);
#endif
    return size;
}

int main(void) {
    printf("%zu\n", render(3));
    return 0;
}
