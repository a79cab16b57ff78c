/* Allocation that does not fail, and its release. */
#include <stddef.h>

void *memory_get(size_t size);
void memory_put(void *block);
int memory_in_use(void);
