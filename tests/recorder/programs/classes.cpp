// Virtual functions, templates, exceptions, strings and containers.
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct Shape {
    virtual ~Shape() = default;
    virtual long area() const = 0;
};
struct Square : Shape {
    explicit Square(long side) : side(side) {}
    long area() const override {
        if (side == 7)
            throw std::runtime_error("seven");
        return side * side;
    }
    long side;
};
struct Strip : Square {
    using Square::Square;
    long area() const override { return 3 * side; }
};

long total, caught;

int main() {
    std::vector<std::unique_ptr<Shape>> shapes;
    std::map<std::string, long> areas;
    for (long i = 0; i < 10; i++) {
        if (i % 2)
            shapes.push_back(std::make_unique<Square>(i));
        else
            shapes.push_back(std::make_unique<Strip>(i));
    }
    for (const auto &shape : shapes) {
        try {
            areas["area " + std::to_string(shape->area() % 5)] += shape->area();
        } catch (const std::runtime_error &error) {
            caught += long(std::string(error.what()).size());
        }
    }
    for (const auto &[name, area] : areas)
        total += area * long(name.size());
    return total == 0 || caught != 5;
}
