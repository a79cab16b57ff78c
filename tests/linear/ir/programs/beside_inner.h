#pragma once
struct inner;
struct inner *inner_new(void);
void inner_enqueue(struct inner *q, int value);
int inner_dequeue(struct inner *q, int *value);
