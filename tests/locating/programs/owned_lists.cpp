// Four lists that a container owns: MAKE makes them, LIST is one of them. With FAULT, an operation
// forgets to link back.
#include <memory>
#include <vector>

namespace box {

struct node {
    int key;
    node *next = nullptr, *prev = nullptr;
    explicit node(int k) : key(k) {}
};

class list {
  public:
    node *head = nullptr, *tail = nullptr;
    int n = 0;

    void add(int key) {
        auto *x = new node(key);
        x->prev = tail;
        (tail ? tail->next : head) = x;
        tail = x;
        n++;
    }
    void remove(node *x) {
        (x->prev ? x->prev->next : head) = x->next;
#ifdef FAULT
        if (!x->next || x->key != FAULT)
#endif
            (x->next ? x->next->prev : tail) = x->prev;
        n--;
        delete x;
    }
    ~list() {
        while (head)
            remove(head);
    }
};

} // namespace box

int main() {
    MAKE;
    for (int i = 0; i < 4; i++) {
        box::list &l = LIST(i);
        for (int k = 0; k < 12; k++) {
            l.add(100 * i + k);
            if (k % 3 == 2)
                l.remove(l.head->next);
        }
    }
    return 0;
}
