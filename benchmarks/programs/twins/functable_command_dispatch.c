/* The handler of one command keeps the argument it was given to own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int do_echo(char *argument) {
    puts(argument);
    free(argument);
    return 0;
}

static int do_length(char *argument) {
    int n = (int)strlen(argument);
#ifndef LEAK
    free(argument);
#endif
    return n;
}

static const struct {
    const char *name;
    int (*run)(char *argument);
} commands[] = {{"echo", do_echo}, {"length", do_length}};

static int dispatch(const char *name, const char *argument) {
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(commands[i].name, name)) {
            char *copy = strdup(argument);
            return copy ? commands[i].run(copy) : -1;
        }
    return -1;
}

int main(void) {
    printf("%d\n", dispatch("echo", "hi"));
    printf("%d\n", dispatch("length", "hello"));
    printf("%d\n", dispatch("nothing", "x"));
    return 0;
}
