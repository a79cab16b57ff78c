// Lists whose destructors free the nodes and leave the head as it is, since the list is freed next.
struct Node {
    int key;
    Node *next;
};

class List {
  public:
    List() : head(nullptr) {}
    ~List();
    __attribute__((noinline)) void push(int key);

  private:
    Node *head;
};

List::~List() {
    for (Node *node = head; node;) {
        Node *next = node->next;
        delete node;
        node = next;
    }
}

void List::push(int key) {
    head = new Node{key, head};
#ifdef FAULT
    head->next = key == 7 ? head : head->next; // faulty
#endif
}

List *lists[3];

int main() {
    for (List *&list : lists)
        list = new List;
    for (int i = 0; i < 12; i++)
        lists[i % 3]->push(i);
#ifndef FAULT
    for (List *list : lists)
        delete list;
#endif
    return 0;
}
