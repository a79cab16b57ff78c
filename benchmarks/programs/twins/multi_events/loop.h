/* An event loop: the data of a handler belongs to the loop. */
typedef int handler(void *data);

int loop_add(handler *h, void *data);
void loop_run(int rounds);
void loop_close(void);
