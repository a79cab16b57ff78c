// Pointers into the middle that are as good as pointers to the start, and their twins that are not.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

struct Counted {
    ~Counted() { std::putchar('.'); }
    long value;
};

struct First {
    virtual ~First() = default;
    virtual int one() { return 1; }
    long a = 0;
};
struct Second {
    virtual ~Second() = default;
    virtual int two() { return 2; }
    long b = 0;
};
struct Both : First, Second {
    int two() override { return 3; }
};

// As std::string was before C++11.
struct Head {
    unsigned long length, capacity;
    int references;
};

Counted *array;
char *sized, *not_counted;
Second *base;
char *numbers;
char *text, *no_text;

__attribute__((noinline)) static void make(const char *what) {
    if (!std::strcmp(what, "array")) {
        array = new Counted[5]; // a count of 5 before them
        long *words = static_cast<long *>(std::malloc(48));
        words[0] = 48; // a header with the size
        sized = reinterpret_cast<char *>(words + 1);
        words = static_cast<long *>(std::malloc(48));
        words[0] = 7; // no count: 40 bytes are no seven elements
        not_counted = reinterpret_cast<char *>(words + 1);
    }
    if (!std::strcmp(what, "inheritance")) {
        base = new Both;
        long *words = static_cast<long *>(std::malloc(32));
        words[0] = 4, words[2] = 5; // small numbers where the tables would be
        numbers = reinterpret_cast<char *>(words + 2);
    }
    if (!std::strcmp(what, "string")) {
        for (int twin = 0; twin < 2; twin++) {
            char *block = static_cast<char *>(std::malloc(sizeof(Head) + 11));
            Head head = {5, 10, 0};
            if (twin)
                head.capacity = 3; // less than its length
            std::memcpy(block, &head, sizeof head);
            std::strcpy(block + sizeof head, "hello");
            (twin ? no_text : text) = block + sizeof head;
        }
    }
}

__attribute__((noinline)) static void clear() {
    volatile char below[8192];
    std::memset(const_cast<char *>(below), 0, sizeof below);
}

int main(int argc, char **argv) {
    make(argv[argc - 1]);
    clear();
    return 0;
}
