/* Who keeps what: a shelf takes books over, a reader only looks at them. */
struct book {
    char *title;
};

struct book *book_new(const char *title);
void book_free(struct book *b);
void shelf_keep(struct book *b);
int reader_read(const struct book *b);
void shelf_clear(void);
