// Blocks given back by the wrong function, and by the right one.
#include <cstdlib>
#include <new>

static void *volatile any;

int main() {
    any = new int(1);
    free(any); // mismatched new free
    any = new int[4];
    operator delete(any); // mismatched new[] delete
    any = malloc(4);
    operator delete[](any); // mismatched malloc delete[]
    any = new int(2);
    any = realloc(any, 100); // mismatched new realloc
    free(any);
    any = new int[4];
    operator delete[](any);
    any = aligned_alloc(64, 64);
    free(any);
    any = operator new(64, std::align_val_t(64));
    operator delete(any, std::align_val_t(64));
    any = new int(3);
    operator delete(any);
    any = new (std::nothrow) int(4);
    operator delete(any, std::nothrow);
}
