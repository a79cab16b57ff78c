/* The stages are released in reverse order; one stage falls out of the ladder. */
#include <stdio.h>
#include <stdlib.h>

struct device {
    int *registers;
    char *dma;
    short *irq;
};

static int probe(struct device *d, int id) {
    d->registers = calloc(8, sizeof *d->registers);
    if (!d->registers)
        return -1;
    d->dma = malloc(64);
    if (!d->dma)
        goto no_dma;
    d->irq = calloc(4, sizeof *d->irq);
    if (!d->irq)
        goto no_irq;
    if (id < 0)
        goto bad_id;
    return 0;
bad_id:
    free(d->irq);
#ifdef LEAK
    goto no_dma;
#endif
no_irq:
    free(d->dma);
no_dma:
    free(d->registers);
    return -1;
}

int main(void) {
    struct device good, bad;
    int a = probe(&good, 4), b = probe(&bad, -1);
    printf("%d %d\n", a, b);
    if (!a) {
        free(good.irq);
        free(good.dma);
        free(good.registers);
    }
    return 0;
}
