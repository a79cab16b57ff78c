/* The start of the text is lost because the pointer itself walks over it. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *text = malloc(64);
    if (!text)
        return 0;
    strcpy(text, "   width = 80");
#ifdef LEAK
    while (isspace((unsigned char)*text))
        text++;
    char *word = text;
    printf("[%s]\n", word);
    text = NULL;
#else
    char *word = text;
    while (isspace((unsigned char)*word))
        word++;
    printf("[%s]\n", word);
#endif
    free(text);
    return 0;
}
