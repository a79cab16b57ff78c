/* A module of its own holds the rows; its close forgets the name. */
#include "twin.h"
#include "files_store.h"
int scenario(int round)
{
    struct store *s = store_open("store");
    if (!s)
        return 0;
    store_add(s, round);
    store_add(s, 2);
    int r = s->rows ? s->rows->v : 0;
    store_close(s);
    return r;
}
