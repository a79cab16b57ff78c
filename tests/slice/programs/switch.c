/* The case that ran, and what selected it. */
int result;
int main(int argc, char **argv) { // *
    int x = 0;
    switch (argc + 1) { // *
    case 1:
        x = 11;
        break;
    case 2:
        x = 22; // *
        break;
    default:
        x = 33;
    }
    result = x; // *
    return 0;
}
