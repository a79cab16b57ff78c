// Blocks that the standard containers allocate.
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

struct Point {
    int x, y;
};

int main() {
    std::list<Point> list;
    std::forward_list<long> singly;
    std::map<std::string, int> names;
    std::set<int> set;
    std::unordered_map<int, std::string> words;
    std::unordered_set<long> longs;
    std::vector<Point> points;
    std::deque<Point> queue;
    for (int i = 0; i < 60; ++i) {
        list.push_back({i, -i});
        singly.push_front(i);
        names[std::string(i % 40, 'n') + std::to_string(i)] = i;
        set.insert(i * 37 % 60);
        words.emplace(i, "a text that is too long for the buffer inside");
        longs.insert(i);
        points.push_back({i, i});
        queue.push_back({i, i});
    }
    list.remove_if([](const Point &point) { return point.x % 3 == 0; });
    names.erase(names.begin());
    return int(list.size() + names.size() + points.size()) == 0;
}
