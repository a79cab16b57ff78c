#include <stdlib.h>
#include <string.h>
void leak_return(void) {
    char *p = malloc(10);
    p[0] = 1;
} /* LEAK */
void good_return(void) {
    char *p = malloc(10);
    free(p);
}
void leak_overwrite(void) {
    char *p = malloc(10);
    p = malloc(20); /* LEAK */
    free(p);
}
void leak_null(void) {
    char *p = malloc(10);
    p = NULL; /* LEAK */
    free(p);
}
int leak_temporary(const char *s) {
    return (int)strlen(strdup(s)); /* LEAK */
}
void leak_discarded(const char *s) {
    strdup(s); /* LEAK */
}
char *good_returned(void) { return malloc(3); }
void good_exit(void) {
    char *p = malloc(10);
    if (p)
        exit(1);
}
