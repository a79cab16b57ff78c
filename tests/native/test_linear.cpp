// Which values of a stack can be nested, and the spans that the answer is found with.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "linear/cover.h"
#include "linear/nesting.h"

#include "catch.h"

using namespace heapstory;

namespace {

constexpr double patience = 3600; // seconds

Nesting::Outcome outcome(const std::vector<Lifetime> &values) {
    return nest(values, patience).outcome;
}

std::vector<std::pair<size_t, size_t>> covered(const Cover &cover, size_t slots) {
    std::vector<Cover::Run> runs;
    cover.covered({0, slots}, runs);
    std::vector<std::pair<size_t, size_t>> found;
    for (const auto &run : runs)
        found.emplace_back(run.begin, run.end);
    return found;
}

} // namespace

TEST_CASE("what was pushed last is popped first") {
    CHECK(outcome({{1, 2, 7, 8}, {3, 4, 5, 6}}) == Nesting::possible);
    CHECK(outcome({{1, 2, 3, 4}, {5, 6, 7, 8}}) == Nesting::possible);
    CHECK(outcome({{1, 2, 5, 6}, {3, 4, 7, 8}}) == Nesting::impossible);
}

TEST_CASE("operations that overlap may take effect in either order") {
    CHECK(outcome({{1, 4, 5, 6}, {1, 4, 7, 8}}) == Nesting::possible);
    CHECK(outcome({{1, 2, 5, 8}, {3, 4, 6, 9}}) == Nesting::possible);
}

TEST_CASE("a value that was never popped lies below what came after it") {
    CHECK(outcome({{1, 2, endless, endless}, {3, 4, 5, 6}}) == Nesting::possible);
    CHECK(outcome({{1, 2, 5, 6}, {3, 4, endless, endless}}) == Nesting::impossible);
}

TEST_CASE("covered runs, before and after a span is taken away") {
    Cover cover(10);
    cover.preset({1, 4});
    cover.preset({3, 6});
    cover.preset({8, 9});
    cover.build();
    using Runs = std::vector<std::pair<size_t, size_t>>;
    CHECK(covered(cover, 10) == Runs{{1, 6}, {8, 9}});
    cover.remove({3, 6});
    CHECK(covered(cover, 10) == Runs{{1, 4}, {8, 9}});
    cover.remove({1, 4});
    cover.remove({8, 9});
    CHECK(covered(cover, 10).empty());
}
