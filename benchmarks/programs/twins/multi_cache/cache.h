/* A cache of one page. */
const char *cache_get(int page);
void cache_close(void);
