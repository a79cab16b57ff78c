/* A bad version jumps to the label below the release of the body. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int decode(const char *input) {
    int status = -1;
    char *head = strndup(input, 2), *body = NULL;
    if (!head)
        goto out;
    body = strdup(input + 2);
    if (!body)
        goto free_head;
    if (head[0] != 'v')
        goto free_body;
    if (head[1] != '1')
#ifdef LEAK
        goto free_head;
#else
        goto free_body;
#endif
    status = (int)strlen(body);
free_body:
    free(body);
free_head:
    free(head);
out:
    return status;
}

int main(void) {
    printf("%d %d %d\n", decode("v1hello"), decode("x1hello"), decode("v2hello"));
    return 0;
}
