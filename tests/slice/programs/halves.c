/* A union: one half was written as a byte, the other as part of a word. */
#include <stdint.h>
int result;
int main(void) {
    union {
        uint32_t word;
        uint8_t byte[4];
    } u;
    u.word = 0x01020304; // *
    u.byte[0] = 9;
    u.byte[3] = 5;
    result = u.byte[1]; // *
    return 0;
}
