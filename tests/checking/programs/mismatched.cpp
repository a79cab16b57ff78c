// Blocks that go back by the wrong function, one per line with a remark.
#include <cstdlib>

int main() {
    int *one = new int(1), *many = new int[5], *plain = static_cast<int *>(std::malloc(8));
    int *volatile p = one;
    std::free(p); /* new and free */
    p = many;
    delete p; /* new[] and delete */
    p = plain;
    delete p; /* malloc and delete */
    return 3;
}
