/* The sum needs the array, its filling and both loops. */
int result;
int main(void) {
    int a[8], sum = 0, other = 0; // *
    for (int i = 0; i < 8; i++)   // *
        a[i] = i * i;             // *
    for (int i = 0; i < 8; i++) { // *
        sum += a[i];              // *
        other -= a[i];
    }
    result = sum; // *
    return other > 0;
}
