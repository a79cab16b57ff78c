#include <stdlib.h>
int sink_count;
void sink(char *p)
{
    sink_count += p != NULL;
#ifndef LEAK
    free(p);
#endif
}
