/* Eight mistakes: more than a short answer can hold. */
#include <stdlib.h>
static char array[64];
static __attribute__((noinline)) void wrong_0(void) {
    free(array + 0);
}
static __attribute__((noinline)) void wrong_1(void) {
    free(array + 1);
}
static __attribute__((noinline)) void wrong_2(void) {
    free(array + 2);
}
static __attribute__((noinline)) void wrong_3(void) {
    free(array + 3);
}
static __attribute__((noinline)) void wrong_4(void) {
    free(array + 4);
}
static __attribute__((noinline)) void wrong_5(void) {
    free(array + 5);
}
static __attribute__((noinline)) void wrong_6(void) {
    free(array + 6);
}
static __attribute__((noinline)) void wrong_7(void) {
    free(array + 7);
}
int main(void) {
    wrong_0();
    wrong_1();
    wrong_2();
    wrong_3();
    wrong_4();
    wrong_5();
    wrong_6();
    wrong_7();
    return 3;
}
