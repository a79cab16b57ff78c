/* The second condition was only asked because of the first. */
int result;
int main(int argc, char **argv) { // *
    int a = argc;                 // *
    int b = 2 * argc;             // *
    int x = 0;
    if (a == 1 && b == 2) // *
        x = 1;            // *
    result = x;           // *
    return 0;
}
