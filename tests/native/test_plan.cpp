// Plans, and where their fields lie.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/evaluate/value.h"
#include "constraints/plan/layout.h"
#include "small_list.h"

#include "catch.h"

using namespace heapstory::constraints;

TEST_CASE("the roots of a type get an edge set, and types without roots none") {
    Plan plan = small_list::plan_with({});
    REQUIRE(plan.root_sets == std::vector<uint32_t>{1, none});
    REQUIRE(plan.edge_sets[1][0].type == 1);
}

TEST_CASE("a field that is wider than any number is never read as one") {
    Plan plan;
    PlanField wide = small_list::field(0, FieldKind::integer);
    wide.size = 16;
    plan.types.push_back(small_list::type(1, 16, {wide}));
    complete(plan);
    REQUIRE(plan.types[0].fields[0].kind == FieldKind::chars);
}

TEST_CASE("a plan has what stands in a guard, a binder or an operand") {
    using namespace small_list;
    PlanConstraint constraint = for_every_node(apply(Op::not_, {apply(Op::true_, {})}));
    constraint.guard = apply(Op::isleaf, {variable(0)});
    constraint.variables[0].binder.of = std::make_shared<Expr>(apply(Op::null, {}));
    Plan plan = plan_with({constraint});
    REQUIRE((has(plan, Op::true_) && has(plan, Op::isleaf) && has(plan, Op::null)));
    REQUIRE_FALSE(has(plan, Op::false_));
}

TEST_CASE("an open run has as many elements as fit into the block") {
    PlanType type = small_list::type(1, 8, {small_list::field(0, FieldKind::integer)});
    PlanRun run;
    run.field = small_list::field(8, FieldKind::pointer);
    type.runs.push_back(run);
    Layout layout(type);
    REQUIRE(layout.elements(0, 15) == 0);
    REQUIRE(layout.elements(0, 16) == 1);
    REQUIRE(layout.elements(0, 39) == 3);
    REQUIRE(layout.cells(40) == 5);
}

TEST_CASE("a write touches the fields whose bytes it covers") {
    PlanType type = small_list::type(
        1, 16,
        {small_list::field(0, FieldKind::integer), small_list::field(8, FieldKind::integer)});
    type.fields[0].size = 4;
    Layout layout(type);
    std::vector<uint32_t> touched;
    auto visit = [&](uint32_t cell, const PlanField &, uint64_t) { touched.push_back(cell); };
    layout.touched(0, 4, 8, 16, visit);
    REQUIRE(touched.empty());
    layout.touched(0, 3, 8, 16, visit);
    layout.touched(8, 0, 1, 16, visit);
    REQUIRE(touched == std::vector<uint32_t>{0, 1});
}

TEST_CASE("arithmetic truncates, keeps the sign of the dividend, and knows no x/0") {
    Value minus_seven = Value::number(-7), two = Value::number(2), zero = Value::number(0);
    REQUIRE(calculate(Op::div, minus_seven, two).same(Value::number(-3)));
    REQUIRE(calculate(Op::mod, minus_seven, two).same(Value::number(-1)));
    REQUIRE_FALSE(calculate(Op::div, two, zero).known());
    REQUIRE_FALSE(calculate(Op::add, two, Value()).known());
}

TEST_CASE("what is compared with UNKNOWN is unknown, and NULL equals 0") {
    REQUIRE(compare(Op::eq, Value(), Value::number(1)) == Truth::unknown);
    REQUIRE(compare(Op::eq, Value::null(), Value::number(0)) == Truth::yes);
    REQUIRE(compare(Op::lt, Value::number(1), Value::number(2)) == Truth::yes);
}
