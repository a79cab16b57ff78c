// Blocks behind smart pointers, with virtual functions and several bases.
#include <memory>
#include <string>
#include <vector>

namespace shapes {

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
    Shape *next = nullptr;
};

struct Named {
    std::string name;
    virtual ~Named() = default;
};

struct Circle final : Shape {
    explicit Circle(double radius) : radius(radius) {}
    double area() const override { return 3 * radius * radius; }
    double radius;
};

struct Square final : Named, Shape {
    explicit Square(double side) : side(side) { name = "square of some side or other"; }
    double area() const override { return side * side; }
    double side;
};

} // namespace shapes

struct Tree {
    int key;
    std::unique_ptr<Tree> left, right;
};

struct Config {
    std::string path;
    int level = 0;
    std::weak_ptr<Config> parent;
};

static void insert(std::unique_ptr<Tree> &tree, int key) {
    if (!tree)
        tree.reset(new Tree{key, nullptr, nullptr});
    else
        insert(key < tree->key ? tree->left : tree->right, key);
}

int main() {
    shapes::Shape *first = nullptr;
    std::unique_ptr<Tree> tree;
    std::vector<std::shared_ptr<Config>> made, adopted;
    std::vector<std::unique_ptr<shapes::Shape>> owned;
    for (int i = 0; i < 40; ++i) {
        shapes::Shape *shape =
            i % 2 ? static_cast<shapes::Shape *>(new shapes::Circle(i)) : new shapes::Square(i);
        shape->next = first;
        first = shape;
        insert(tree, i * 17 % 40);
        made.push_back(std::make_shared<Config>());
        made.back()->path = "/a/path/that/does/not/fit/in";
        made.back()->parent = made.front();
        adopted.push_back(std::shared_ptr<Config>(new Config));
        owned.push_back(std::make_unique<shapes::Circle>(i));
    }
    double sum = 0;
    while (first) {
        sum += first->area();
        shapes::Shape *next = first->next;
        delete first;
        first = next;
    }
    return sum < 0;
}
