/* longjmp: its value comes back from setjmp, and decides. */
#include <setjmp.h>
int result;
static jmp_buf home;
static void deep(int n) { // *
    if (n == 0)           // *
        longjmp(home, 3); // *
    deep(n - 1);          // *
}
int main(void) {
    volatile int x = 1;
    if (setjmp(home) == 0) // *
        deep(2);           // *
    else
        x = 5;  // *
    result = x; // *
    return 0;
}
