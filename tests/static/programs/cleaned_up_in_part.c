/* A callee that fails and cleans up, but forgets one of the members that it fills. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message {
    char *sender;
    char *topic;
    char *body;
    int size;
};

static int read_text(FILE *file, char **text)
{
    int size;

    if (fread(&size, sizeof size, 1, file) != 1)
        return 1;
    *text = malloc(size + 1);
    if (!*text)
        return 2;
    if (fread(*text, size, 1, file) != 1) {
        free(*text);
        *text = NULL;
        return 1;
    }
    return 0;
}

static int read_forgetful(FILE *file, struct message *message)
{
    int status;

    if (fread(&message->size, sizeof message->size, 1, file) != 1)
        return 1;
    if ((status = read_text(file, &message->sender)))
        goto error;
    if (message->size > 0) {
        message->body = malloc(message->size);
        if (!message->body) {
            status = 2;
            goto error;
        }
    }
    if ((status = read_text(file, &message->topic)))
        goto error;
    return 0;
error:
    free(message->sender);
    message->sender = NULL;
    free(message->topic);
    message->topic = NULL;
    return status;
}

static int read_careful(FILE *file, struct message *message)
{
    int status;

    if (fread(&message->size, sizeof message->size, 1, file) != 1)
        return 1;
    if ((status = read_text(file, &message->sender)))
        goto error;
    if (message->size > 0) {
        message->body = malloc(message->size);
        if (!message->body) {
            status = 2;
            goto error;
        }
    }
    if ((status = read_text(file, &message->topic)))
        goto error;
    return 0;
error:
    free(message->sender);
    message->sender = NULL;
    free(message->topic);
    message->topic = NULL;
    free(message->body);
    message->body = NULL;
    return status;
}

static void clear(struct message *message)
{
    free(message->sender);
    free(message->topic);
    free(message->body);
}

int leak_forgetful(FILE *file)
{
    struct message message;
    int status;

    memset(&message, 0, sizeof message);
    status = read_forgetful(file, &message);
    if (status)
        return status; /* LEAK */
    puts(message.topic);
    clear(&message);
    return 0;
}

int fine_forgetful(FILE *file)
{
    struct message message;
    int status;

    memset(&message, 0, sizeof message);
    status = read_forgetful(file, &message);
    if (!status)
        puts(message.topic);
    clear(&message);
    return status;
}

int fine_careful(FILE *file)
{
    struct message message;
    int status;

    memset(&message, 0, sizeof message);
    status = read_careful(file, &message);
    if (status)
        return status;
    puts(message.topic);
    clear(&message);
    return 0;
}
