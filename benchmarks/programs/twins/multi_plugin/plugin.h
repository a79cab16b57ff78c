/* What a plugin offers. */
struct plugin {
    const char *name;
    void *(*create)(int size);
    int (*run)(void *);
    void (*destroy)(void *);
};

extern const struct plugin counter_plugin, table_plugin;
