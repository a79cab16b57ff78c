/* The text taken from the queue belongs to the caller, who only prints it. */
#include "queue.h"
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    struct queue q;
    queue_init(&q);
    queue_put(&q, "first");
    queue_put(&q, "second");
    queue_put(&q, "third");
    char *text = queue_take(&q);
    puts(text ? text : "empty");
#ifndef LEAK
    free(text);
#endif
    queue_clear(&q);
    return 0;
}
