/* strsep moves its pointer through the text and ends with null; a thread takes its argument only if
   it is started. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int leak_no_second_word(const char *line)
{
    char *copy = strdup(line);
    char *rest = copy;

    if (!copy)
        return -1;
    puts(strsep(&rest, "="));
    if (!rest)
        return -1; /* LEAK */
    puts(rest);
    free(copy);
    return 0;
}

int fine_words(const char *line)
{
    char *copy = strdup(line);
    char *rest = copy;
    char *word;

    while ((word = strsep(&rest, ",")))
        puts(word);
    free(copy);
    return 0;
}

int leak_pointer_moved(const char *line)
{
    char *rest = strdup(line);
    char *word;

    while ((word = strsep(&rest, ","))) /* LEAK */
        puts(word);
    free(rest);
    return 0;
}

char *fine_last_word(const char *line)
{
    char *copy = strdup(line);
    char *rest = copy;
    char *word, *found = NULL;

    while ((word = strsep(&rest, ","))) {
        free(found);
        found = strdup(word);
    }
    free(copy);
    return found;
}

struct task {
    int number;
};

static void *work(void *argument)
{
    struct task *task = argument;

    printf("%d\n", task->number);
    free(task);
    return NULL;
}

int leak_not_started(int number)
{
    pthread_t thread;
    struct task *task = malloc(sizeof *task);

    if (!task)
        return -1;
    task->number = number;
    if (pthread_create(&thread, NULL, work, task) != 0)
        return -1; /* LEAK */
    pthread_detach(thread);
    return 0;
}

int fine_not_started(int number)
{
    pthread_t thread;
    struct task *task = malloc(sizeof *task);

    if (!task)
        return -1;
    task->number = number;
    if (pthread_create(&thread, NULL, work, task) != 0) {
        free(task);
        return -1;
    }
    pthread_detach(thread);
    return 0;
}

void fine_not_asked(int number)
{
    pthread_t thread;
    struct task *task = malloc(sizeof *task);

    if (!task)
        return;
    task->number = number;
    pthread_create(&thread, NULL, work, task);
    pthread_detach(thread);
}
