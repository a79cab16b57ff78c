/* Which variable a pointer's pointer changes. */
int result;
static void redirect(int **where, int *to) { // *
    *where = to;                             // *
}
int main(void) {
    int a = 1;
    int b = 2; // *
    int *p = &a;
    redirect(&p, &b); // *
    a = 5;
    result = *p; // *
    return a == 0;
}
