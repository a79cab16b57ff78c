/* Decodes three messages; the leak is in message.c. */
#include "message.h"
#include <stdio.h>

int main(void) {
    static const unsigned char good[] = {1, 2, 3, 4, 7}, bad[] = {1, 2, 3, 4, 8}, cut[] = {1, 9, 3};
    struct message *a = message_decode(good, 5), *b = message_decode(bad, 5),
                   *c = message_decode(cut, 3);
    printf("%d %d %d\n", a != NULL, b != NULL, c != NULL);
    message_free(a);
    message_free(b);
    message_free(c);
    return 0;
}
