/* Helpers for texts; all results belong to the caller. */
char *text_join(const char *a, const char *b, char between);
char *text_upper(const char *s);
