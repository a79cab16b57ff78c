/* Makes the text of a page; it belongs to the caller. */
char *load_page(int page);
