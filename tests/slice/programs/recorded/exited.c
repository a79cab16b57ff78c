/* What decided that a call returned, and did not end the program. */
#include <stdlib.h>
int result;
static int values[] = {1, 2, -1};
static void check(int x) { // *
    if (x < 0)             // *
        exit(0);
} // *
int main(void) {
    for (int i = 0;; i++) { // *
        check(values[i]);   // *
        result++;           // *
    }
}
