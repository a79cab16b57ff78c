/* What decided that a call returned, and did not jump away. */
#include <setjmp.h>
int result;
static jmp_buf away;
static int values[] = {1, -2, 3, -4};
static void check(int x) { // *
    if (x < 0)             // *
        longjmp(away, 1);  // *
} // *
int main(void) {
    for (volatile int i = 0; i < 4; i++) { // *
        if (setjmp(away) == 0) {           // *
            check(values[i]);              // *
            result++;                      // *
        }
    }
    return 0;
}
