// Nothing is wrong here either.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

struct Base {
    virtual ~Base() = default;
    virtual int value() const { return 1; }
};
struct alignas(64) Wide : Base {
    int value() const override { return 2; }
    char bytes[100] = {};
};

int main() {
    std::map<std::string, std::vector<int>> all;
    std::unordered_map<int, std::string> names;
    for (int i = 0; i < 2000; ++i) {
        all[std::to_string(i % 37)].push_back(i);
        names[i] = std::string(size_t(i % 50), 'a');
    }
    std::vector<std::unique_ptr<Base>> objects;
    for (int i = 0; i < 100; ++i)
        objects.push_back(i % 2 ? std::make_unique<Base>() : std::make_unique<Wide>());
    int sum = 0;
    for (auto &object : objects)
        sum += object->value();
    std::string *strings = new std::string[10];
    strings[3] = "a string that is too long to be kept inside";
    delete[] strings;
    try {
        throw std::runtime_error("thrown " + std::to_string(sum));
    } catch (const std::exception &error) {
        std::ostringstream text;
        text << error.what() << all.size() << names.size();
        std::cout << text.str() << std::endl;
    }
}
