/* A copy of the default is made before the lookup that replaces it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const settings[][2] = {{"editor", "vi"}, {"pager", "less"}};

static char *setting(const char *key, const char *fallback) {
    char *value = strdup(fallback);
    for (int i = 0; i < 2; i++)
        if (!strcmp(settings[i][0], key)) {
#ifndef LEAK
            free(value);
#endif
            value = strdup(settings[i][1]);
            break;
        }
    return value;
}

int main(void) {
    char *pager = setting("pager", "more"), *shell = setting("shell", "sh");
    printf("%s %s\n", pager ? pager : "", shell ? shell : "");
    free(pager);
    free(shell);
    return 0;
}
