/* A number in code that the program made. */
#include <string.h>
#include <sys/mman.h>
int result;
static volatile int in = 3;
int main(void) {
    unsigned char *code = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); // *
    int x = in;                                                                 // *
    code[0] = 0xb8;                                                             // *
    memcpy(code + 1, &x, sizeof x);                                             // *
    code[5] = 0xc3;                                                             // *
    code[6] = 0x90;
    int (*made)(void) = (int (*)(void))code; // *
    result = made();                         // *
    return 0;
}
