/* One value through three others; a fourth does not matter. */
int result;
int main(void) {
    int a = 1; // *
    int b = 2; // *
    int noise = 9;
    int c = a + b; // *
    noise = noise * c;
    result = c; // *
    return noise == 0;
}
