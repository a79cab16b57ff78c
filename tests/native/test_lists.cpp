// The thesis' algorithms on instances made by hand: Figure 5.3, where the dependency list grows
// with every iteration and the filter does not. SPDX-License-Identifier: GPL-2.0-or-later
#include "slice/lists.h"

#include "catch.h"

using namespace heapstory::slice;

namespace {

constexpr uint64_t iterations = 2000, element = 4;
constexpr Reference u{0x100, 0x104}, x{0x200, 0x204}, y{0x300, 0x304}, z{0x400, 0x404},
    i{0x500, 0x504};
constexpr uint64_t a = 0x10000;

Instance statement(std::vector<Reference> defined, std::vector<Reference> used,
                   uint64_t parent = 0) {
    Instance one;
    one.defined = std::move(defined);
    one.used = std::move(used);
    one.parent = parent;
    return one;
}

// 1 x = u; 2 for (i = 0; i <= n; i++) 3 y = y + a[i]; 4 z = y;
std::vector<Instance> figure_5_3() {
    std::vector<Instance> run = {statement({x}, {u}), statement({i}, {})};
    for (uint64_t number = 0; number <= iterations; ++number) {
        run.push_back(statement({}, {i})); // the test
        const uint64_t test = run.size(), at = a + element * number;
        run.push_back(statement({y}, {y, {at, at + element}, i}, test));
        run.push_back(statement({i}, {i}, test));
    }
    run.push_back(statement({z}, {y}));
    return run;
}

} // namespace

TEST_CASE("figure 5.3: the list grows, the filter does not") {
    const std::vector<Instance> run = figure_5_3();
    const ListSlice four = algorithm4(run), sorted = algorithm4_sorted(run), five = algorithm5(run);
    CHECK(four.instances == sorted.instances);
    CHECK(four.instances == five.instances);
    // All but line 1, and the last step of i, which nothing uses.
    CHECK(four.instances.size() == run.size() - 2);
    CHECK(four.instances.front() == 2);
    CHECK(four.longest_list > iterations);
    CHECK(five.longest_list > iterations);
    CHECK(five.largest_filter <= 3); // y, i and the elements as one range
    CHECK(sorted.longest_list <= 3);
}

TEST_CASE("a slice by lists can be ended") {
    struct Enough {};
    CHECK_THROWS_AS(algorithm4(figure_5_3(), [] { throw Enough(); }), Enough);
    CHECK_THROWS_AS(algorithm5(figure_5_3(), [] { throw Enough(); }), Enough);
}
