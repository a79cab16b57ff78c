// What each fault model supposes, and how it is tested.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/hypotheses/decisive.h"
#include "constraints/hypotheses/fault_models.h"
#include "constraints/hypotheses/trial.h"
#include "constraints/locate/wild_pointers.h"
#include "small_list.h"

#include "catch.h"
#include <algorithm>

using namespace heapstory::constraints;
using small_list::Memory;

namespace {

constexpr Object holder = 0, first = 1, second = 2; // in order of birth

// A plan and a history, as of its end; all since `floor` is asked about.
struct Case {
    Case(Plan given, const Memory &memory, uint64_t floor)
        : plan(std::move(given)), line(memory.timeline(plan)), checker(line, plan, nullptr),
          at(checker, memory.now, floor, [](uint32_t site) { return site; }) {
        for (uint32_t c = 0; c < plan.constraints.size(); ++c)
            for (const Inconsistency &e : checker.check(c, memory.now))
                found.push_back(e);
        at.gather(checker.nested(), found, {});
    }
    template <class Model> Hypotheses supposed() const {
        Hypotheses out;
        Model(at).suppose(out);
        return out;
    }
    uint32_t cell(Object object, uint32_t number) const { return line.first_cell[object] + number; }

    Plan plan;
    Timeline line;
    Checker checker;
    Situation at;
    std::vector<Inconsistency> found;
};

// Whether one of the hypotheses changes a field, alone or with others, to lead to an object.
bool leads(const Hypotheses &all, uint32_t cell, uint32_t target) {
    for (size_t i = 0; i < all.size(); ++i)
        for (const Change &change : all[i].changes)
            if (change.cell == cell && change.version.target == target)
                return true;
    return false;
}

struct TwoNodes : Memory {
    TwoNodes() : top(holder()), one(node()), two(node()) {
        store(top, one);
        store(one + small_list::next, two);
        clean = now;
    }
    uint64_t top, one, two, clean = 0;
};

Plan all_rooted() {
    return small_list::plan_with({small_list::rooted()});
}

} // namespace

TEST_CASE("a wrong value: what was there before, other nodes, and the value left open") {
    TwoNodes memory;
    memory.store(memory.one + small_list::next, 0);
    Case lost(all_rooted(), memory, memory.clean);
    REQUIRE(lost.found.size() == 1);
    Hypotheses all = lost.supposed<WrongValue>();
    uint32_t cell = lost.cell(first, small_list::next_cell);
    REQUIRE(leads(all, cell, second));
    REQUIRE(leads(all, cell, first));
    REQUIRE(leads(all, cell, open_target));
    REQUIRE(all.groups() == std::vector<size_t>{all.size()});
}

TEST_CASE("an early free: the block is there again, with the pointers to it") {
    TwoNodes memory;
    memory.free(memory.two);
    Case freed(all_rooted(), memory, memory.clean);
    Hypotheses all = freed.supposed<EarlyFree>();
    REQUIRE(all.size() > 0);
    REQUIRE(all[0].operation == memory.now);
    REQUIRE(all[0].revived == freed.line.block[second]);
    REQUIRE(leads(all, freed.cell(first, small_list::next_cell), second));
}

TEST_CASE("an omission: a field that was not written since what it should lead to was made") {
    TwoNodes memory;
    memory.holder();
    memory.node();
    Case forgotten(all_rooted(), memory, memory.clean);
    constexpr Object new_holder = 3, new_node = 4;
    Hypotheses all = forgotten.supposed<Omission>();
    REQUIRE(leads(all, forgotten.cell(new_holder, 0), new_node));
    REQUIRE_FALSE(leads(all, forgotten.cell(new_holder, 0), first)); // that could have been stored
}

TEST_CASE("a wrong field: the value goes into another one of the same kind") {
    Memory memory;
    Plan plan;
    plan.types.push_back(small_list::type(
        small_list::node_type, 24,
        {small_list::field(0, FieldKind::integer), small_list::field(8, FieldKind::integer)}));
    plan.edge_sets.emplace_back();
    complete(plan);
    uint64_t node = memory.node(), clean = memory.now;
    memory.store(node, 7);
    Case wrong(plan, memory, clean);
    Hypotheses all = wrong.supposed<WrongField>();
    REQUIRE(all.size() > 0);
    REQUIRE(all[0].changes.size() == 2);
    REQUIRE(all[0].changes[0].version.value == 0); // as it was
    REQUIRE(all[0].changes[1].cell == wrong.cell(0, 1));
    REQUIRE(all[0].changes[1].version.value == 7);
}

TEST_CASE("mixed up values: only of fields that one statement wrote") {
    TwoNodes memory;
    memory.store(memory.one + small_list::key, 1, 900);
    memory.store(memory.two + small_list::key, 2, 900);
    REQUIRE(Case(all_rooted(), memory, memory.clean).supposed<MixedUpValues>().size() > 0);
    memory.writes.back().site = 901;
    REQUIRE(Case(all_rooted(), memory, memory.clean).supposed<MixedUpValues>().size() == 0);
}

TEST_CASE(
    "a derived value: numbers that were written later are left open, and that is tried alone") {
    TwoNodes memory;
    memory.store(memory.one + small_list::next, 0);
    memory.store(memory.one + small_list::key, 1);
    Case derived(all_rooted(), memory, memory.clean);
    Hypotheses all = derived.supposed<DerivedValue>();
    REQUIRE(all.size() > 1);
    REQUIRE(all[0].only_open);
    REQUIRE_FALSE(all[1].only_open);
    REQUIRE(leads(all, derived.cell(first, small_list::key_cell), open_target));
}

TEST_CASE("a followed pointer: a later store goes to the object it should have led to") {
    TwoNodes memory;
    memory.store(memory.one + small_list::next, 0); // should lead to the second
    memory.store(memory.one + small_list::key, 7);  // the second one's key
    Case followed(all_rooted(), memory, memory.clean);
    Hypotheses all = followed.supposed<FollowedPointer>();
    bool found = false;
    for (size_t i = 0; i < all.size(); ++i)
        for (const Change &change : all[i].changes)
            found |= change.cell == followed.cell(second, small_list::key_cell) &&
                     change.version.value == 7;
    REQUIRE(found);
}

TEST_CASE("far values: small numbers, and those of the same field of others") {
    TwoNodes memory;
    memory.store(memory.two + small_list::key, 4000);
    memory.store(memory.one + small_list::key, 77);
    Case far(all_rooted(), memory, memory.clean);
    uint32_t cell = far.cell(first, small_list::key_cell);
    Hypotheses all;
    FarValue(far.at, {cell}).suppose(all);
    std::vector<uint64_t> values;
    for (size_t i = 0; i < all.size(); ++i)
        values.push_back(all[i].changes[0].version.value);
    for (uint64_t wanted : {0, 1, 2, 3, 3999, 4000, 4001})
        REQUIRE(std::count(values.begin(), values.end(), wanted) == 1);
}

TEST_CASE("the numbers next to that of a bit field have no more bits than it") {
    TwoNodes memory;
    memory.store(memory.one + small_list::bits, 15 << 2);
    Case bits(all_rooted(), memory, memory.clean);
    uint32_t cell = bits.cell(first, small_list::bits_cell);
    REQUIRE(bits.at.held(cell)->value == 15);
    std::vector<uint64_t> values;
    for (const Version &value : CandidateValues(bits.at).numbers(cell))
        values.push_back(value.value);
    REQUIRE(values == std::vector<uint64_t>{0, 14});
}

TEST_CASE("in the future a hypothesis is true for one moment") {
    TwoNodes memory;
    memory.store(memory.one + small_list::next, 0);
    Case lost(all_rooted(), memory, memory.clean);
    uint32_t cell = lost.cell(first, small_list::next_cell);
    Hypotheses one;
    one.add(memory.now, {{cell, lost.at.pointer_to(second)}});
    one.end_group();
    Timeline future = make_future(lost.at, one);
    Span unused;
    REQUIRE(future.at(cell, 1, unused)->value == 0);
    REQUIRE(future.at(cell, moment(0), unused)->target == second);
    REQUIRE(future.at(cell, moment(0) + 1, unused)->value == 0);
}

TEST_CASE("a trial passes only what leaves nothing wrong") {
    TwoNodes memory;
    memory.store(memory.one + small_list::next, 0);
    Case lost(all_rooted(), memory, memory.clean);
    uint32_t cell = lost.cell(first, small_list::next_cell);
    Hypotheses two;
    for (Object target : {first, second})
        two.add(memory.now, {{cell, lost.at.pointer_to(target)}});
    two.end_group();
    std::vector<uint32_t> passed;
    Trial(lost.at, two, lost.found).run([&](const Hypothesis &hypothesis) {
        passed.push_back(hypothesis.changes[0].version.target);
        return true;
    });
    REQUIRE(passed == std::vector<uint32_t>{second});
}

TEST_CASE("the search for what was decisive says which field should hold something else") {
    TwoNodes memory;
    memory.store(memory.one + small_list::next, 0);
    Case lost(all_rooted(), memory, memory.clean);
    DecisiveSearch search(lost.checker, memory.now, memory.clean,
                          [](uint32_t site) { return site; });
    Decisive decisive = search.run(lost.found, {});
    REQUIRE(decisive.size() == 1);
    REQUIRE(decisive.begin()->first == memory.now);
    REQUIRE(decisive.begin()->second.grade == Grade::value);
    REQUIRE(decisive.begin()->second.cell == lost.cell(first, small_list::next_cell));
    REQUIRE_FALSE(decisive.begin()->second.wild);
}

TEST_CASE("a wild pointer is found where it was stored, unless its statement always stores one") {
    Expr safe = small_list::apply(
        Op::safe, {small_list::field_of(small_list::variable(0), small_list::next_cell)});
    safe.type = 0;
    Plan plan = small_list::plan_with({small_list::for_every_node(safe)});
    TwoNodes memory;
    memory.store(memory.two + small_list::next, 0x5eed0, 900);
    memory.store(memory.two + small_list::next, 0);
    uint64_t clean = memory.now;
    memory.store(memory.one + small_list::next, 0x5eed0, 901);
    uint64_t stored = memory.now;
    memory.store(memory.one + small_list::next, memory.two);
    Case wild(plan, memory, clean);
    auto stores =
        find_wild_stores(wild.checker, memory.now, clean, [](uint32_t site) { return site; });
    REQUIRE(stores.size() == 1);
    REQUIRE(stores[0].time == stored);
    auto same_statement = [](uint32_t site) { return site == 901 ? 900 : site; };
    REQUIRE(find_wild_stores(wild.checker, memory.now, clean, same_statement).empty());
}
