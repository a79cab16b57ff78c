/* -O0 -fno-builtin: of what was copied as a whole, only the part that is read later. */
#include <string.h>
int result;
struct pair {
    int first, second;
};
int main(void) {
    struct pair a, b;
    a.first = 1;
    a.second = 2;             // *
    memcpy(&b, &a, sizeof b); // *
    a.second = 3;
    b.first = 4;
    result = b.second; // *
    return a.second + b.first == 0;
}
