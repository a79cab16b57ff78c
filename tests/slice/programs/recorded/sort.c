/* The library calls back: what the comparison decided, and what it compared. */
#include <stdlib.h>
int result;
static int compare(const void *a, const void *b) { // *
    const int *x = a, *y = b;                      // *
    return (*x > *y) - (*x < *y);                  // *
}
int main(void) {
    int unused = 9;
    int array[2];
    array[0] = 5;                              // *
    array[1] = 3;                              // *
    qsort(array, 2, sizeof array[0], compare); // *
    result = array[0];                         // *
    return unused == 0;
}
