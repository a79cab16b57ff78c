/* The second of some arguments whose number nobody declared. */
#include <stdarg.h>
int result;
static int second(int count, ...) { // *
    va_list arguments;
    va_start(arguments, count);         // *
    int first = va_arg(arguments, int); // *
    int found = va_arg(arguments, int); // *
    va_end(arguments);
    return first == 0 ? 0 : found; // *
}
int main(void) {
    int a = 1, b = 2, c = 3;     // *
    result = second(3, a, b, c); // *
    return 0;
}
