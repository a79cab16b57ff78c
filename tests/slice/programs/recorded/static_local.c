/* A counter that keeps its value between calls. */
int result;
static int next(void) {
    static int count = 10;
    count += 1;   // *
    return count; // *
}
int main(void) {
    int first = next(); // *
    first = 0;
    result = next(); // *
    return first;
}
