/* One mistake per name, each on a line with that name as a remark. Ends with status 3. */
#include <emmintrin.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

volatile long sink;
volatile __m128i wide_sink;
static volatile size_t zero; /* keeps the compiler from knowing */

static char *block(size_t size) {
    char *made = malloc(size); /* made here */
    memset(made, 'x', size);
    return made;
}

static char *freed(size_t size) {
    char *made = block(size);
    free(made); /* first free */
    return made + zero;
}

static void overrun(void) {
    volatile char *p = block(10);
    p[10 + zero] = 1; /* overrun */
}

static void overread(void) {
    volatile char *p = block(10);
    sink = p[12 + zero]; /* overread */
}

static void underrun(void) {
    volatile char *p = block(10);
    p[zero - 1] = 1; /* underrun */
}

static void wide(void) { /* half of it is outside */
    volatile uint64_t *p = (uint64_t *)(block(12) + 8 + zero);
    sink = *p; /* wide */
}

static void vector(void) {
    char *p = block(24);
    __m128i value = _mm_loadu_si128((__m128i *)(p + 16 + zero)); /* vector */
    wide_sink = value;
}

static void read_freed(void) {
    volatile int *p = (int *)freed(40);
    sink = p[3]; /* read-freed */
}

static void write_freed(void) {
    volatile int *p = (int *)freed(40);
    p[3] = 7; /* write-freed */
}

static void swap_freed(void) {
    int *p = (int *)freed(40);
    sink = __sync_bool_compare_and_swap(p, 1, 2); /* swap-freed */
}

static void moved(void) {
    char *old = block(10), *grown = realloc(old, 100);
    volatile char *kept = old + zero;
    sink = grown != NULL;
    sink = kept[0]; /* moved */
}

static void repeated(void) {
    void *to = block(16);
    size_t count = 17 + zero;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(0) : "memory"); /* repeated */
}

static void copied(void) {
    char *p = block(8), *q = block(100);
    memcpy(q, p, 9 + zero); /* copied */
}

static void filled(void) {
    memset(block(8), 0, 9 + zero); /* filled */
}

static void text(void) {
    char *p = block(8);
    strcpy(p, "12345678" + zero); /* text */
}

static void unterminated(void) {
    char *p = block(8);
    sink = strlen(p + zero); /* unterminated */
}

static void compared(void) {
    char *p = block(8), *q = block(100);
    sink = memcmp(p, q, 12 + zero); /* compared */
}

static void overlapping(void) {
    char *p = block(20);
    memcpy(p + 2 + zero, p, 8 + zero); /* overlapping */
}

static void overlapping_text(void) {
    char *p = calloc(1, 20);
    strcpy(p, "0123456789");
    strncpy(p + 2 + zero, p, 8 + zero); /* overlapping-text */
}

static void unmapped(void) {
    int file = open("/dev/null", O_WRONLY);
    sink = write(file, (void *)(8 + zero), 1); /* unmapped */
}

static void written(void) {
    int file = open("/dev/null", O_WRONLY);
    sink = write(file, block(8), 9 + zero); /* written */
}

static void filled_by_read(void) {
    int file = open("/dev/zero", O_RDONLY);
    sink = read(file, block(8), 9 + zero); /* filled-by-read */
}

static void twice(void) {
    free(freed(24)); /* twice */
}

static void inside(void) {
    free(block(24) + 8 + zero); /* inside */
}

static void on_stack(void) {
    char here[16];
    char *volatile p = here;
    free(p); /* on-stack */
}

static void bad_realloc(void) {
    sink = (long)realloc(freed(24), 50); /* bad-realloc */
}

static void negative(void) {
    sink = (long)malloc(zero - 1); /* negative */
}

static void often(void) {
    volatile char *p = block(10);
    for (int i = 0; i < 1000000; i++)
        p[10 + zero] = 1; /* often */
}

static void ruined(void) {
    char *p = block(10), *others[50];
    for (int i = 0; i < 50; i++)
        others[i] = malloc(10);
    for (size_t i = 0; i < 3000; i++)
        ((volatile char *)p)[i] = 0x7f; /* ruined */
    for (int i = 0; i < 50; i++)
        free(others[i]);
    for (int i = 0; i < 50; i++)
        others[i] = malloc(1000 * i);
    free(p);
}

static const struct {
    const char *name;
    void (*make)(void);
} mistakes[] = {
    {"overrun", overrun},
    {"overread", overread},
    {"underrun", underrun},
    {"wide", wide},
    {"vector", vector},
    {"read-freed", read_freed},
    {"write-freed", write_freed},
    {"swap-freed", swap_freed},
    {"moved", moved},
    {"repeated", repeated},
    {"copied", copied},
    {"filled", filled},
    {"text", text},
    {"unterminated", unterminated},
    {"compared", compared},
    {"overlapping", overlapping},
    {"written", written},
    {"filled-by-read", filled_by_read},
    {"twice", twice},
    {"inside", inside},
    {"on-stack", on_stack},
    {"bad-realloc", bad_realloc},
    {"negative", negative},
    {"often", often},
    {"ruined", ruined},
    {"overlapping-text", overlapping_text},
    {"unmapped", unmapped},
};

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        if (argc > 1 && strcmp(argv[1], mistakes[i].name) == 0)
            mistakes[i].make();
    puts("the end");
    return 3;
}
