/* continue and break decide over the rest of an iteration and over the iterations after it. */
int result;
int main(void) {
    int sum = 0;                   // *
    for (int i = 0; i < 10; i++) { // *
        if (i == 2)                // *
            continue;
        if (i == 5) // *
            break;
        sum += i; // *
    }
    result = sum; // *
    return 0;
}
