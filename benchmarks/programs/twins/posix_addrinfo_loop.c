/* The list of addresses is walked with the variable that is given back later. */
#define _GNU_SOURCE
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>

int main(void) {
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM}, *list;
    if (getaddrinfo("127.0.0.1", "80", &hints, &list))
        return 0;
    int n = 0;
#ifdef LEAK
    for (; list; list = list->ai_next)
        n++;
    if (list)
        freeaddrinfo(list);
#else
    for (struct addrinfo *a = list; a; a = a->ai_next)
        n++;
    freeaddrinfo(list);
#endif
    printf("%d\n", n);
    return 0;
}
