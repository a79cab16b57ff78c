/* A callee that makes many members, most of them only if asked to, has more outcomes than a summary
   has rows: what all of them have in common stays known. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct session {
    char *name;
    char *user;
    char *host;
    int *ports;
    int mode;
};

static void session_clear(struct session *session)
{
    free(session->name);
    free(session->user);
    free(session->host);
    free(session->ports);
}

static int session_init(struct session *session, const char *name, int mode)
{
    memset(session, 0, sizeof *session);
    session->mode = mode;
    if (!(session->name = strdup(name)))
        goto failed;
    if ((mode & 1) && !(session->user = strdup("user")))
        goto failed;
    if ((mode & 2) && !(session->host = malloc(20)))
        goto failed;
    if ((mode & 4) && !(session->ports = calloc(2, 20)))
        goto failed;
    return 0;
failed:
    free(session->name);
    free(session->user);
    free(session->host);
    free(session->ports);
    return -1;
}

static struct session *session_new(const char *name, int mode)
{
    struct session *session = malloc(sizeof *session);

    if (!session)
        return NULL;
    if (session_init(session, name, mode) < 0) {
        free(session);
        return NULL;
    }
    return session;
}

static void session_free(struct session *session)
{
    if (!session)
        return;
    session_clear(session);
    free(session);
}

int leak_early(const char *name, int mode, int stop)
{
    struct session session;

    if (session_init(&session, name, mode) < 0)
        return -1;
    if (stop)
        return -2; /* LEAK */
    session_clear(&session);
    return 0;
}

int leak_below(const char *name, int mode, int stop)
{
    struct session *session = session_new(name, mode);

    if (!session)
        return -1;
    if (stop) {
        free(session); /* LEAK */
        return -2;
    }
    session_free(session);
    return 0;
}

int leak_whole(const char *name, int mode, int stop)
{
    struct session *session = session_new(name, mode);

    if (!session)
        return -1;
    if (stop)
        return -2; /* LEAK */
    session_free(session);
    return 0;
}

int fine_early(const char *name, int mode, int stop)
{
    struct session session;

    if (session_init(&session, name, mode) < 0)
        return -1;
    if (stop) {
        session_clear(&session);
        return -2;
    }
    puts(session.name);
    session_clear(&session);
    return 0;
}

int fine_by_hand(const char *name, int mode)
{
    struct session session;

    if (session_init(&session, name, mode) != 0)
        return -1;
    free(session.name);
    if (mode & 1)
        free(session.user);
    if (session.host)
        free(session.host);
    free(session.ports);
    if (session.mode & 8)
        return 0;
}

int fine_plain(const char *name)
{
    struct session session;

    if (session_init(&session, name, 0) < 0)
        return -1;
    free(session.name);
    return 0;
}

struct session *fine_handed_on(const char *name, int mode)
{
    struct session *session = session_new(name, mode);

    if (session)
        puts(session->name);
    return session;
}

/* What is made is kept elsewhere too. */
static char *registry[8];

static int register_init(struct session *session, const char *name, int mode)
{
    if (session_init(session, name, mode) < 0)
        return -1;
    registry[mode & 7] = session->name;
    return 0;
}

void fine_registered(const char *name, int mode)
{
    struct session session;

    if (register_init(&session, name, mode) < 0)
        return;
    free(session.user);
    free(session.host);
    free(session.ports);
}
