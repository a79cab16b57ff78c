// Sets, lists and tables beside plain vectors, in random rounds. The library's own functions are
// replaced by those of the header.
#include "heapstory_containers.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <set>
#include <unordered_set>
#include <vector>

struct Round {
    std::set<int> tree;
    std::list<int> list, other;
    std::unordered_set<int> table;
    std::vector<int> plain;

    bool step(int key, bool adds) {
        auto at = std::find(plain.begin(), plain.end(), key);
        bool changes = adds == (at == plain.end());
        if (adds && changes) {
            plain.push_back(key);
            list.push_back(key);
        } else if (changes) {
            plain.erase(at);
            list.remove(key);
        }
        if (adds)
            return tree.insert(key).second == changes && table.insert(key).second == changes;
        return (tree.erase(key) == 1) == changes && (table.erase(key) == 1) == changes;
    }
    bool alike(int keys) {
        std::vector<int> sorted = plain;
        std::sort(sorted.begin(), sorted.end());
        other.swap(list);
        bool same =
            list.empty() && std::equal(other.begin(), other.end(), plain.begin(), plain.end());
        list.splice(list.begin(), other);
        for (int key = 0; key < keys; ++key)
            same = same && table.count(key) == tree.count(key);
        return same && table.size() == plain.size() &&
               std::equal(tree.begin(), tree.end(), sorted.begin(), sorted.end()) &&
               std::equal(tree.rbegin(), tree.rend(), sorted.rbegin(), sorted.rend());
    }
};

int main() {
    int keys = 24, rounds = 0;
    for (; rounds < 2000; ++rounds) {
        Round round;
        for (int step = 0; step < 60; ++step)
            if (!round.step(rand() % keys, rand() % 3 != 0) || !round.alike(keys))
                return 1;
    }
    printf("%d rounds alike\n", rounds);
}
