/* What follows both ways of a branch does not depend on it. */
int result;
int main(int argc, char **argv) {
    int x = 3; // *
    int y;
    if (argc > 1)
        y = 1;
    else
        y = 2;
    x += 4;     // *
    result = x; // *
    return y;
}
