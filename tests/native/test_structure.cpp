// The engine as a whole, without a trace.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/locate/structure.h"

#include "small_list.h"

#include "catch.h"

using namespace heapstory::constraints;

namespace {

// One node too few: the second is cut off at `cut`.
struct CutOff : small_list::Memory {
    CutOff() : top(holder()), one(node()), two(node()) {
        store(top, one);
        store(one + small_list::next, two);
        clean = now;
        store(one + small_list::next, 0, 44);
        cut = now;
    }
    Structure structure() const {
        return {small_list::plan_with({small_list::rooted()}), blocks, writes, now};
    }
    uint64_t top, one, two, clean = 0, cut = 0;
};

} // namespace

TEST_CASE("a structure counts its objects by type") {
    Counts counts = CutOff().structure().counts();
    REQUIRE(counts.objects == 3);
    REQUIRE(counts.by_type == std::vector<size_t>{2, 1});
}

TEST_CASE("an inconsistency names the node") {
    CutOff memory;
    Structure structure = memory.structure();
    REQUIRE(structure.check(memory.clean).empty());
    auto found = structure.check(memory.cut);
    REQUIRE(found.size() == 1);
    REQUIRE(std::get<ObjectPlace>(found[0].binding.at(0)) == ObjectPlace(3, 0));
}

TEST_CASE("locating names the bad C-point, the clean one, and the decisive operation") {
    CutOff memory;
    Structure structure = memory.structure();
    LocateAnswer answer =
        structure.locate({{memory.clean, {}, forever, 0}, {memory.cut, {}, forever, 0}});
    REQUIRE((answer.clean == 0u && answer.bad == 1u && answer.ended == 1u));
    REQUIRE(answer.inconsistencies.size() == 1);
    REQUIRE(answer.decisive.size() == 1);
    REQUIRE(answer.decisive[0].time == memory.cut);
    REQUIRE(answer.decisive[0].field->node == 2);
    REQUIRE(answer.decisive[0].field->cell == small_list::next_cell);
}

TEST_CASE("where all is well nothing is bad and the last C-point is clean") {
    CutOff memory;
    LocateAnswer answer = memory.structure().locate({{memory.clean, {}, forever, 0}});
    REQUIRE((!answer.bad && !answer.ended && answer.clean == 0u));
    REQUIRE((answer.faults.empty() && answer.decisive.empty()));
}

TEST_CASE("what is fixed before the operation ends was temporary") {
    CutOff memory;
    memory.store(memory.one + small_list::next, memory.two);
    Structure structure = memory.structure();
    REQUIRE(structure.locate({{memory.cut, {}, forever, 0}}).bad == 0u);
    REQUIRE_FALSE(structure.locate({{memory.cut, {}, memory.now, 0}}).bad);
}

TEST_CASE("an operation is told with what the field held before and after") {
    CutOff memory;
    auto operations = memory.structure().operations({memory.cut});
    REQUIRE(operations.size() == 1);
    REQUIRE(operations[0].kind == OperationKind::store);
    REQUIRE(operations[0].site == 44);
    REQUIRE(operations[0].before->node == 3u);
    REQUIRE(operations[0].before->offset == 0u);
    REQUIRE_FALSE(operations[0].after->node);
}

TEST_CASE("births and deaths are operations too, and a pointer to what was freed is stale") {
    CutOff memory;
    memory.free(memory.two);
    uint64_t freed = memory.now;
    auto lives = memory.structure().operations({freed});
    REQUIRE(lives.size() == 1);
    REQUIRE(lives[0].kind == OperationKind::death);
    REQUIRE(lives[0].object == ObjectPlace(3, 0));
}

TEST_CASE("a structure without a trace has no C-points of its own") {
    REQUIRE_THROWS_AS(CutOff().structure().cpoints({}), heapstory::FormatError);
}
