/* A book given to the reader is not taken over by it, yet nobody else releases it. */
#include "owner.h"
#include <stdio.h>

int main(void) {
    static const char *const titles[] = {"Emma", "Dune", "Ulysses"};
    for (int i = 0; i < 3; i++)
        shelf_keep(book_new(titles[i]));
#ifdef LEAK
    printf("%d\n", reader_read(book_new("Faust")));
#else
    struct book *borrowed = book_new("Faust");
    printf("%d\n", reader_read(borrowed));
    book_free(borrowed);
#endif
    shelf_clear();
    return 0;
}
