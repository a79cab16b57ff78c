/* Fields that share a byte: the byte is read and written as a whole. */
int result;
struct flags {
    unsigned low : 3, high : 5;
    unsigned other;
};
int main(void) {
    struct flags f = {0, 0, 0}; // *
    f.low = 5;                  // *
    f.high = 9;                 // *
    f.other = 7;
    result = f.low; // *
    return f.other == 0;
}
