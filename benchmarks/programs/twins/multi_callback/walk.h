/* Walks over the words of a text; the visitor owns each word. */
void walk_words(const char *text, void (*visit)(char *word, void *data), void *data);
