/* Start-up and nothing else: what every figure pays before the program's own work begins. */
#include <stdlib.h>

int main(void)
{
    void *volatile node = malloc(16);
    free(node);
    return 0;
}
