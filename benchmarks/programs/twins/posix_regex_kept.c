/* The compiled expression is not released when the text does not match. */
#include <regex.h>
#include <stdio.h>

static int matches(const char *pattern, const char *text) {
    regex_t expression;
    if (regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB))
        return -1;
    if (regexec(&expression, text, 0, NULL, 0) == REG_NOMATCH) {
#ifndef LEAK
        regfree(&expression);
#endif
        return 0;
    }
    regfree(&expression);
    return 1;
}

int main(void) {
    printf("%d %d\n", matches("^[a-z]+$", "word"), matches("^[a-z]+$", "12"));
    return 0;
}
