/* An object is on two lists; taking it off the second forgets that it was the last. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct hook {
    struct hook *next;
};
struct file {
    struct hook by_name, by_age;
    int links;
};

#define FILE_OF(h, member) ((struct file *)((char *)(h)-offsetof(struct file, member)))

static void file_unlink(struct file *f) {
#ifdef LEAK
    if (f->links-- == 0)
#else
    if (--f->links == 0)
#endif
        free(f);
}

int main(void) {
    struct hook *names = NULL, *ages = NULL;
    for (int i = 0; i < 3; i++) {
        struct file *f = malloc(sizeof *f);
        if (!f)
            break;
        f->links = 2;
        f->by_name.next = names;
        names = &f->by_name;
        f->by_age.next = ages;
        ages = &f->by_age;
    }
    int visits = 0;
    for (struct hook *next; names; names = next, visits++) {
        next = names->next;
        file_unlink(FILE_OF(names, by_name));
    }
    for (struct hook *next; ages; ages = next, visits++) {
        next = ages->next;
        file_unlink(FILE_OF(ages, by_age));
    }
    printf("%d\n", visits);
    return 0;
}
