/* A signal's handler wrote it (incomplete: who set the handler is not followed). */
#include <signal.h>
static volatile int seen;
int result;
static void handler(int number) { // *
    seen = number;                // *
}
int main(void) {
    signal(SIGUSR1, handler);
    seen = 1;
    raise(SIGUSR1); // *
    result = seen;  // *
    return 0;
}
