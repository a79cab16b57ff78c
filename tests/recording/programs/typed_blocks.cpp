// Each marked line allocates blocks of the type that the mark says, however it is compiled.
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace app {

struct Node {
    std::string name;
    int value;
    Node *next;
};

struct Shape {
    virtual ~Shape() = default;
    Shape *next = nullptr;
};

struct Circle : Shape {
    double radius = 1;
};

template <class Key> class Stack {
  public:
    void push(const Key &key) {
        top_ = new Cell{key, top_}; // is Cell
    }

  private:
    struct Cell {
        Key key;
        Cell *below;
    };
    Cell *top_ = nullptr;
};

} // namespace app

static app::Stack<long> stack;

int main() {
    app::Node *nodes = nullptr;
    app::Shape *shapes = nullptr;
    std::list<int> list;
    std::map<int, int> map;
    std::vector<std::shared_ptr<app::Circle>> shared;
    shared.reserve(20); // is shared_ptr
    for (int i = 0; i < 20; ++i) {
        nodes = new app::Node{"short", i, nodes}; // is Node
        app::Shape *circle = new app::Circle; // is Circle
        circle->next = shapes;
        shapes = circle;
        stack.push(i);
        list.push_back(i); // is _List_node
        map[i] = i; // is _Rb_tree_node
        shared.push_back(std::make_shared<app::Circle>()); // is _Sp_counted_ptr_inplace
    }
    int sum = 0;
    for (; nodes; nodes = nodes->next)
        sum += nodes->value + int(nodes->name.size());
    return sum == 0;
}
