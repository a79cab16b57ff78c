/* Names and strings that would be markup, or turn text around, if they were not shown as text. */
#include <stdlib.h>
#include <string.h>

struct page {
    struct page *next;
    char text[48];
};

struct page *first;

int main(int argc, char **argv) {
    first = malloc(sizeof *first);
    first->next = NULL;
    strncpy(first->text, argc > 1 ? argv[1] : "", sizeof first->text - 1);
    first->text[47] = 0;
    return 0; /* </script><script>document.title = "broken"</script> MARK */
}
