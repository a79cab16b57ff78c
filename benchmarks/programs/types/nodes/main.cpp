// Nodes that people write themselves: aggregates, templates, nested classes, pools.
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

struct Node {
    std::string name;
    int value;
    Node *next;
};

namespace app {

template <class Key, class Value> class Map {
  public:
    void put(const Key &key, const Value &value) { root_ = put(root_, key, value); }
    ~Map() { drop(root_); }

  private:
    struct Entry {
        Key key;
        Value value;
        Entry *left = nullptr, *right = nullptr;
        Entry(const Key &key, const Value &value) : key(key), value(value) {}
    };
    Entry *put(Entry *entry, const Key &key, const Value &value) {
        if (!entry)
            return new Entry(key, value);
        if (key < entry->key)
            entry->left = put(entry->left, key, value);
        else
            entry->right = put(entry->right, key, value);
        return entry;
    }
    void drop(Entry *entry) {
        if (!entry)
            return;
        drop(entry->left);
        drop(entry->right);
        delete entry;
    }
    Entry *root_ = nullptr;
};

struct Link {
    long id;
    Link *before;
};

} // namespace app

class Stack {
  public:
    void push(int value) { top_ = new Cell{value, top_}; }
    int pop() {
        Cell *cell = top_;
        int value = cell->value;
        top_ = cell->below;
        delete cell;
        return value;
    }

  private:
    struct Cell {
        int value;
        Cell *below;
    };
    Cell *top_ = nullptr;
};

int main() {
    Node *head = nullptr;
    app::Map<std::string, int> texts;
    app::Map<int, double> numbers;
    Stack stack;
    app::Link *last = nullptr;
    for (int i = 0; i < 50; ++i) {
        head = new Node{"a name that is long enough to be on the heap", i, head};
        texts.put(std::to_string(i * 37 % 50), i);
        numbers.put(i * 37 % 50, i);
        stack.push(i);
        void *raw = std::malloc(sizeof(app::Link));
        last = new (raw) app::Link{i, last};
    }
    int *table = new int[100]();
    auto **index = new Node *[50];
    int filled = 0;
    for (Node *node = head; node; node = node->next)
        index[filled++] = node;
    for (int i = 0; i < 30; ++i)
        table[i] = stack.pop();
    while (head)
        delete std::exchange(head, head->next);
    delete[] index;
    delete[] table;
    return 0;
}
