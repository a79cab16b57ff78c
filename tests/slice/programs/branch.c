/* The branch that was taken decides, and so does what it compared. */
int result;
int main(int argc, char **argv) { // *
    int limit = 5;                // *
    int x = 10;
    if (argc < limit) // *
        x = 20;       // *
    result = x;       // *
    return 0;
}
