/* Three levels: an order has a customer who has a name. */
#include "twin.h"
struct customer { char *name; };
struct order { int id; struct customer *customer; };
int scenario(int round)
{
    struct order *o = malloc(sizeof *o);
    if (!o)
        return 0;
    o->id = round;
    o->customer = malloc(sizeof *o->customer);
    if (!o->customer) {
        free(o);
        return 0;
    }
    o->customer->name = strdup("Ada");
    int r = o->id;
#ifndef LEAK
    free(o->customer->name);
#endif
    free(o->customer);
    free(o);
    return r;
}
