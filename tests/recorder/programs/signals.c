/* A handler that interrupts a computation, on the same stack and on another. */
#include <signal.h>
#include <stdlib.h>

volatile long before, handled, after;
static char other[65536];

static void handler(int number, siginfo_t *info, void *context) {
    for (int i = 0; i < 10; i++)
        handled += number + (info->si_signo == number) + (context != 0);
}

static struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
static stack_t stack = {.ss_sp = other, .ss_size = sizeof other};

int main(void) {
    sigaction(SIGUSR1, &action, NULL);
    action.sa_flags |= SA_ONSTACK;
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR2, &action, NULL);
    for (long i = 0; i < 20; i++) {
        before += i;
        raise(i % 2 ? SIGUSR1 : SIGUSR2);
        after += before + handled;
    }
    return after == 0;
}
