#include <map>
#include <memory>
#include <string>

namespace app {
struct Entry {
    std::string name;
    Entry *left = nullptr, *right = nullptr;
    int weight;
    explicit Entry(std::string name, int weight) : name(std::move(name)), weight(weight) {}
};

struct Registry {
    Entry *root = nullptr;
    int size = 0;

    void add(const std::string &name, int weight) {
        Entry **place = &root;
        while (*place)
            place = weight < (*place)->weight ? &(*place)->left : &(*place)->right;
        *place = new Entry(name, weight);
        size++;
    }
    void reweigh(int from, int to) {
        Entry *entry = root;
        while (entry && entry->weight != from)
            entry = from < entry->weight ? entry->left : entry->right;
        if (entry)
            entry->weight = to; // and stays where it is
    }
};
} // namespace app

int main(int argc, char **) {
    auto *registry = new app::Registry;
    for (int weight : {50, 30, 70, 20, 40})
        registry->add("entry", weight);
    if (argc > 1)
        registry->reweigh(20, 60);
    return 0;
}
