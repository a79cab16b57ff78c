/* A copied string: every byte comes from the same one of its source. */
#include <string.h>
int result;
static char word[64], copy[64], other[64];
int main(void) {
    strcpy(word, "abc"); // *
    strcpy(other, "xyz");
    word[2] = 0;
    strcpy(copy, word); // *
    copy[0] = 'z';
    result = copy[1]; // *
    return other[0] == 0;
}
