/* One check returns directly where all the others jump to the cleanup. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check(const char *message) {
    int ok = 0;
    size_t n = strlen(message);
    unsigned char *key = malloc(16), *digest = calloc(1, 8);
    if (!key || !digest)
        goto done;
    memset(key, 7, 16);
    if (n == 0)
        goto done;
    for (size_t i = 0; i < n; i++)
        digest[i % 8] ^= (unsigned char)(message[i] ^ key[i % 16]);
    if (digest[0] == 0)
#ifdef LEAK
        return 0;
#else
        goto done;
#endif
    ok = 1;
done:
    free(digest);
    free(key);
    return ok;
}

int main(void) {
    printf("%d %d %d\n", check("hello"), check(""), check("\a"));
    return 0;
}
