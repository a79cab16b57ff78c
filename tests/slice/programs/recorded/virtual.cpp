/* Which function ran was decided where the object was made. */
int result;
struct Shape {
    virtual int sides() { return 0; }
    virtual ~Shape() {}
};
struct Square : Shape {
    int count;
    Square(int n) : count(n) {} // *
    int sides() override {      // *
        return count;           // *
    }
};
struct Circle : Shape {
    int sides() override { return 1; }
};
int main() {
    Square square(4); // *
    Circle circle;
    Shape *shape = &circle;
    shape = &square;         // *
    result = shape->sides(); // *
    return circle.sides() == 0;
}
