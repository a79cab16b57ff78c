/* Joins two words into a block that is one byte too short, and looks at its first letter after
 * the block was freed. Used by the pages on check and guard.
 *
 *   gcc -g -o greeting greeting.c && ./greeting
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *join(const char *first, const char *second) {
    char *text = malloc(strlen(first) + strlen(second)); /* no room for the zero */
    strcpy(text, first);
    strcat(text, second);
    return text;
}

int main(void) {
    char *text = join("good ", "morning!");
    printf("%s\n", text);
    free(text);
    if (text[0] == 'g')
        puts("a good one");
    return 0;
}
