/* -O2: values in registers; some lines have no instructions left, and are in no slice. */
int result;
__attribute__((noipa)) static int scale(int x, int by) {
    return x * by; // *
}
__attribute__((noipa)) static int larger(const int *cells, int count) {
    int found = cells[0];           // *
    for (int i = 1; i < count; i++) // *
        if (cells[i] > found)       // *
            found = cells[i];
    return found - 1; // *
}
int main(int argc, char **argv) { // *
    int cells[2];
    cells[0] = scale(5, argc); // *
    cells[1] = scale(3, argc); // *
    int noise = scale(7, argc);
    result = larger(cells, 2); // *
    return noise == 0;
}
