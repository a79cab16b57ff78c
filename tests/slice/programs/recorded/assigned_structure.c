/* A structure assigned, given to a function and returned from it: its members stay apart. */
int result;
struct point {
    long x, y;
};
static struct point mirrored(struct point p) { // *
    struct point q;
    q.x = p.y; // *
    q.y = p.x;
    return q; // *
}
int main(void) {
    struct point a;
    a.x = 3;
    a.y = 4;                      // *
    struct point b = mirrored(a); // *
    result = (int)b.x;            // *
    return b.y == 0;
}
