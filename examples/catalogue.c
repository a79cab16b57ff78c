/* A catalogue of books as an AVL tree, with a bug in one of its rotations.
 *
 *   gcc -g -o catalogue catalogue.c
 *   heapstory record -- ./catalogue
 *   heapstory locate catalogue.story --spec catalogue.spec
 *
 * The program prints how many books it finds again: fewer than it was given, and nothing says why.
 */
#include <stdio.h>
#include <stdlib.h>

struct book {
    int number, height;
    struct book *left, *right;
};

static struct book *shelf;

static int height(const struct book *book) {
    return book ? book->height : -1;
}

static void measure(struct book *book) {
    int left = height(book->left), right = height(book->right);
    book->height = (left > right ? left : right) + 1;
}

static struct book *lift_left(struct book *book) {
    struct book *left = book->left;
    book->left = left->right;
    left->right = book;
    measure(book);
    measure(left);
    return left;
}

static struct book *lift_right(struct book *book) {
    struct book *right = book->right;
    book->right = right->right;
    right->left = book;
    measure(book);
    measure(right);
    return right;
}

static struct book *balance(struct book *book) {
    measure(book);
    int lean = height(book->left) - height(book->right);
    if (lean > 1) {
        if (height(book->left->left) < height(book->left->right))
            book->left = lift_right(book->left);
        return lift_left(book);
    }
    if (lean < -1) {
        if (height(book->right->right) < height(book->right->left))
            book->right = lift_left(book->right);
        return lift_right(book);
    }
    return book;
}

static struct book *insert(struct book *book, int number) {
    if (!book) {
        book = calloc(1, sizeof *book);
        book->number = number;
    } else if (number < book->number) {
        book->left = insert(book->left, number);
    } else {
        book->right = insert(book->right, number);
    }
    return balance(book);
}

static void add(int number) {
    shelf = insert(shelf, number);
}

static int find(int number) {
    const struct book *book = shelf;
    for (int steps = 0; book && steps < 100; steps++) {
        if (book->number == number)
            return 1;
        book = number < book->number ? book->left : book->right;
    }
    return 0;
}

int main(void) {
    int found = 0;
    for (int i = 0; i < 20; i++)
        add(i * 13 % 20);
    for (int i = 0; i < 20; i++)
        found += find(i);
    printf("%d of 20 books found\n", found);
    return 0;
}
