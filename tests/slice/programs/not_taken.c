/* A branch that skipped a store does not show in the stream: only what ran is in the slice. */
int result;
int main(int argc, char **argv) {
    int x = 10; // *
    if (argc > 5)
        x = 20;
    result = x; // *
    return 0;
}
