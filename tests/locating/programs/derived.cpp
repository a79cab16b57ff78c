// A list of shapes that holds circles and squares.
struct Shape {
    virtual ~Shape() = default;
    Shape *next = nullptr;
};

struct Named {
    long id = 0;
    virtual ~Named() = default;
};

struct Circle : Shape {
    double radius = 1;
};

struct Square : Named, Shape {
    double side = 1;
};

static Shape *shapes;

static void add(Shape *shape) {
    shape->next = shapes;
    shapes = shape;
}

static void spoil() {
    shapes->next->next = shapes; // a circle of three
}

int main(int argc, char **) {
    for (int i = 0; i < 5; ++i) {
        add(new Circle);
        add(new Square);
    }
    if (argc > 1)
        spoil();
    return 0;
}
