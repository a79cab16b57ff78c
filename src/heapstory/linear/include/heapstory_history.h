/*
 * heapstory_history.h: write a history that `heapstory prove --history` can judge.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) heapstory contributors. Redistribution and use in source and binary forms, with or
 * without modification, are permitted provided that this notice is kept. There is no warranty.
 *
 *     hs_history h = HS_HISTORY_INIT;
 *     hs_history_open(&h, "run.jsonl");
 *
 *     hs_call c = hs_begin(&h, "enqueue", 7);      // around each operation, in any thread
 *     enqueue(q, 7);
 *     hs_end(&h, &c);                              // or hs_end_value(&h, &c, result)
 *                                                  // or hs_end_empty(&h, &c)
 *     hs_history_close(&h);
 *
 * Moments come from one atomic counter, so the order is exact; the cost is two atomic additions
 * and one buffered write per operation. A call that never ends is written by hs_pending.
 */
#ifndef HEAPSTORY_HISTORY_H
#define HEAPSTORY_HISTORY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

typedef struct {
    FILE *file;
    atomic_ullong clock;
    pthread_mutex_t lock;
} hs_history;

typedef struct {
    const char *method;
    long long argument;
    int has_argument;
    unsigned long long begin;
} hs_call;

#define HS_HISTORY_INIT { 0, 0, PTHREAD_MUTEX_INITIALIZER }

static inline int hs_history_open(hs_history *h, const char *path)
{
    h->file = fopen(path, "w");
    return h->file ? 0 : -1;
}

static inline hs_call hs_begin(hs_history *h, const char *method, long long argument)
{
    hs_call c = { method, argument, 1, atomic_fetch_add(&h->clock, 1) };
    return c;
}

static inline hs_call hs_begin_plain(hs_history *h, const char *method)
{
    hs_call c = { method, 0, 0, atomic_fetch_add(&h->clock, 1) };
    return c;
}

static inline void hs_write_(hs_history *h, const hs_call *c, const char *result, int ended,
                             unsigned long long end)
{
    char argument[40] = "", moment[32] = "null";
    if (c->has_argument)
        snprintf(argument, sizeof argument, "\"argument\":%lld,", c->argument);
    if (ended)
        snprintf(moment, sizeof moment, "%llu", end);
    pthread_mutex_lock(&h->lock);
    fprintf(h->file, "{\"method\":\"%s\",%s\"result\":%s,\"begin\":%llu,\"end\":%s}\n", c->method,
            argument, result, c->begin, moment);
    pthread_mutex_unlock(&h->lock);
}

static inline void hs_end(hs_history *h, const hs_call *c)
{
    unsigned long long end = atomic_fetch_add(&h->clock, 1);
    hs_write_(h, c, "null", 1, end);
}

static inline void hs_end_value(hs_history *h, const hs_call *c, long long value)
{
    unsigned long long end = atomic_fetch_add(&h->clock, 1);
    char result[32];
    snprintf(result, sizeof result, "%lld", value);
    hs_write_(h, c, result, 1, end);
}

static inline void hs_end_empty(hs_history *h, const hs_call *c)
{
    unsigned long long end = atomic_fetch_add(&h->clock, 1);
    hs_write_(h, c, "\"EMPTY\"", 1, end);
}

static inline void hs_pending(hs_history *h, const hs_call *c)
{
    hs_write_(h, c, "null", 0, 0);
}

static inline int hs_history_close(hs_history *h)
{
    return fclose(h->file);
}

#endif
