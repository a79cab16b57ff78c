/* Calls whose result is -1 or not negative; a comparison made twice. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int connect_to(const char *name, char **copy)
{
    int fd = open(name, O_RDONLY);
    if (fd == -1)
        return -1;
    if ((*copy = strdup(name)) == NULL) {
        close(fd);
        return -1;
    }
    return fd;
}

int good_descriptor(const char *name)
{
    char *copy = NULL;
    int fd = connect_to(name, &copy);
    if (fd < 0)
        return -1;
    free(copy);
    return fd;
}

int leak_descriptor(const char *name)
{
    char *copy = NULL;
    int fd = connect_to(name, &copy);
    if (fd > 2)
        free(copy);
    return fd; /* LEAK */
}

int good_compared_twice(const char *name)
{
    char *path = strdup(name);
    FILE *file;
    if (!path)
        return 0;
    if (strcmp(path, "-") == 0)
        file = stdin;
    else if ((file = fopen(path, "r")) == NULL)
        abort();
    puts(path);
    if (strcmp(path, "-") != 0)
        fclose(file);
    free(path);
    return 1;
}

struct source {
    char *name;
    FILE *file;
};

int good_member_compared_twice(struct source *source)
{
    if (strcmp(source->name, "-") == 0)
        source->file = stdin;
    else if ((source->file = fopen(source->name, "r")) == NULL)
        abort();
    if (strcmp(source->name, "-") != 0)
        fclose(source->file);
    source->file = NULL;
    return 1;
}

int leak_text_changed_between(char *name)
{
    FILE *file = stdin;
    if (strcmp(name, "-") != 0 && (file = fopen(name, "r")) == NULL)
        return 0;
    if (fgets(name, 80, file) == NULL)
        name[0] = 0;
    if (strcmp(name, "-") != 0)
        fclose(file);
    return 1; /* LEAK */
}
