/* Of an array only the element that is read, and what computed the index. */
int result;
int main(void) {
    int a[4];
    int i = 2; // *
    a[0] = 10;
    a[1] = 11;
    a[2] = 12; // *
    a[3] = 13;
    result = a[i]; // *
    return 0;
}
