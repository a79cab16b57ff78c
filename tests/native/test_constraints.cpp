// The checking engine's parts that keep what they know as time moves, against starting anew.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/global/calendar.h"
#include "constraints/load/synthetic.h"
#include "constraints/search/checker.h"
#include "constraints/search/forward.h"
#include "constraints/search/radix_heap.h"
#include "constraints/timeline/changes.h"

#include "catch.h"
#include <algorithm>
#include <cstring>
#include <random>
#include <tuple>

using namespace heapstory;
using namespace heapstory::constraints;

namespace {

// node { left*; right*; key; } rooted in holder { root^; }
constexpr uint32_t node_type = 1, holder_type = 2;
constexpr uint64_t node_size = 24, heap = 0x10000;

PlanField field(uint64_t offset, FieldKind kind) {
    PlanField out;
    out.offset = offset;
    out.kind = kind;
    return out;
}

PlanType type(uint32_t id, uint64_t size, std::vector<PlanField> fields) {
    PlanType out;
    out.size = size;
    out.fields = std::move(fields);
    PlanMember member;
    member.type_id = id;
    out.members.push_back(member);
    return out;
}

PlanConstraint global(ShapeKind kind, size_t variables) {
    PlanConstraint out;
    out.variables.resize(variables);
    out.shape.kind = kind;
    return out;
}

Plan make_plan() {
    Plan plan;
    plan.types.push_back(type(node_type, node_size,
                              {field(0, FieldKind::pointer), field(8, FieldKind::pointer),
                               field(16, FieldKind::integer)}));
    plan.types.push_back(type(holder_type, 8, {field(0, FieldKind::pointer)}));
    plan.types[0].roots.push_back({1, 0, none});
    plan.edge_sets.push_back({{0, 0, none}, {0, 1, none}});
    plan.constraints.push_back(global(ShapeKind::acyclic, 2));
    plan.constraints.push_back(global(ShapeKind::rooted, 1));
    plan.constraints.push_back(global(ShapeKind::unique, 2));
    Expr variable, key;
    variable.op = Op::variable;
    key.op = Op::field;
    key.type = 0;
    key.index = 2;
    key.args.push_back(variable);
    plan.constraints.back().shape.keys.push_back(key);
    complete(plan);
    return plan;
}

// Nodes and two holders, with words written at random: edges, roots and keys come and go, and nodes
// are freed and their places given out again.
class Heap {
  public:
    // So many of four writes of pointers are not NULL.
    explicit Heap(uint32_t seed, uint64_t nodes = 8, unsigned linking = 3)
        : random_(seed), nodes_(nodes) {
        const uint64_t places = nodes + 2;
        alive_.resize(places);
        for (uint64_t place = 0; place < places; ++place)
            born(place);
        for (uint64_t step = 0; step < 15 * nodes; ++step) {
            uint64_t place = random_() % places, other = random_() % nodes;
            ++now_;
            if (place >= nodes) {
                write(place, 0, random_() % 4 < linking ? address(other) : 0);
            } else if (random_() % 8 == 0) {
                blocks[alive_[place]].block.death = blocks[alive_[place]].life.death = now_++;
                born(place);
            } else if (random_() % 4 == 0) {
                write(place, 16, random_() % 12);
            } else {
                write(place, 8 * (random_() % 2), random_() % 4 < linking ? address(other) : 0);
            }
        }
    }
    uint64_t last() const { return now_; }

    std::vector<SourceBlock> blocks;
    std::vector<GivenWrite> writes;

  private:
    static uint64_t address(uint64_t place) { return heap + 64 * place; }
    void born(uint64_t place) {
        SourceBlock source;
        bool is_node = place < nodes_;
        source.block = {blocks.size() + 1,
                        address(place),
                        is_node ? node_size : 8,
                        now_,
                        forever,
                        0,
                        0,
                        is_node ? node_type : holder_type};
        source.life = {address(place), source.block.size, now_, forever};
        source.zeroed = true;
        alive_[place] = blocks.size();
        blocks.push_back(source);
    }
    void write(uint64_t place, uint64_t offset, uint64_t value) {
        std::string bytes(8, '\0');
        std::memcpy(bytes.data(), &value, 8);
        writes.push_back({now_, address(place) + offset, bytes, 0});
    }

    std::mt19937 random_;
    const uint64_t nodes_;
    uint64_t now_ = 1;
    std::vector<size_t> alive_;
};

} // namespace

TEST_CASE("changes are found by their time") {
    std::mt19937_64 random(3);
    for (uint64_t range : {1, 10, 1000, 1'000'000}) {
        std::vector<Changes::Change> all;
        for (uint32_t i = 0; i < 300; ++i)
            all.push_back({random() % range, i});
        Changes changes(all);
        for (unsigned round = 0; round < 200; ++round) {
            uint64_t from = random() % (range + 2), to = random() % (2 * range + 2);
            std::vector<uint32_t> found, wanted;
            changes.between(from, to, [&](uint32_t what) { found.push_back(what); });
            for (const auto &change : all)
                if (change.time > std::min(from, to) && change.time <= std::max(from, to))
                    wanted.push_back(change.what);
            std::sort(found.begin(), found.end());
            REQUIRE(found == wanted);
            REQUIRE(changes.at_most(from, to) >= found.size());
        }
    }
    Changes none_at_all{{}};
    none_at_all.between(0, forever, [](uint32_t) { FAIL("nothing changes"); });
}

TEST_CASE("a radix heap meets everything at its time") {
    std::mt19937_64 random(5);
    for (uint64_t range : {3, 100, 1'000'000}) {
        RadixHeap<uint32_t> heap(range);
        std::vector<uint64_t> times; // by thing
        auto push = [&](uint64_t since) {
            heap.push(since, uint32_t(times.size()));
            times.push_back(since);
        };
        for (unsigned i = 0; i < 300; ++i)
            push(random() % range);
        std::vector<unsigned> met(300);
        for (uint64_t moment = range; moment > 0;) {
            moment -= std::min(moment, 1 + random() % (range / 3));
            size_t known = times.size();
            heap.take(moment, [&](uint64_t since, uint32_t thing) {
                REQUIRE(since == times[thing]);
                REQUIRE(since >= moment);
                met.resize(times.size());
                ++met[thing];
                if (moment && thing < 200)
                    push(random() % moment);
            });
            met.resize(times.size());
            for (uint32_t thing = 0; thing < known; ++thing)
                REQUIRE(met[thing] == unsigned(times[thing] >= moment));
        }
    }
}

TEST_CASE("a calendar looks again exactly at what does not hold") {
    std::mt19937_64 random(5);
    constexpr uint64_t slice = 7;
    // Unit u answers anew at every multiple of slice * (u + 1).
    auto span_of = [&](uint32_t unit, uint64_t time) {
        uint64_t length = slice * (unit + 1), since = time / length * length;
        return Span{since, since + length};
    };
    Calendar calendar(20);
    std::vector<Span> spans(20, Span{1, 0});
    for (unsigned round = 0; round < 500; ++round) {
        uint64_t time = random() % 1000;
        std::vector<uint32_t> looked, due;
        for (uint32_t unit = 0; unit < 20; ++unit)
            if (!spans[unit].holds(time))
                due.push_back(unit);
        calendar.move(time, [&](uint32_t unit) {
            looked.push_back(unit);
            return spans[unit] = span_of(unit, time);
        });
        std::sort(looked.begin(), looked.end());
        REQUIRE(looked == due);
    }
}

TEST_CASE("what is known of one moment leads to what holds at another") {
    Plan plan = make_plan();
    for (uint32_t seed = 0; seed < 30; ++seed) {
        Heap heap(seed);
        Timeline line = make_timeline(plan, heap.blocks, heap.writes, heap.last());
        Checker moving(line, plan, nullptr);
        std::mt19937 random(seed);
        for (unsigned round = 0; round < 60; ++round) {
            uint64_t time = random() % (heap.last() + 1);
            Checker anew(line, plan, nullptr);
            for (uint32_t c = 0; c < plan.constraints.size(); ++c) {
                INFO("seed " << seed << ", time " << time << ", constraint " << c);
                if (random() % 2)
                    REQUIRE(moving.global(c)->holds(time) == anew.check(c, time).empty());
                else
                    REQUIRE(moving.check(c, time) == anew.check(c, time));
            }
        }
    }
}

TEST_CASE("a cycle is seen whichever way time moves") {
    Plan plan = make_plan();
    size_t with = 0, without = 0;
    for (uint32_t seed = 0; seed < 40; ++seed) {
        Heap heap(seed, 30, 1 + seed % 3);
        Timeline line = make_timeline(plan, heap.blocks, heap.writes, heap.last());
        Edges edges(line, plan);
        Cycles moving(line, edges, 0);
        std::mt19937 random(seed);
        uint64_t time = heap.last();
        for (unsigned round = 0; round < 300; ++round) {
            uint64_t step = random() % 4;
            time = random() % 3 ? time - std::min(time, step) : std::min(heap.last(), time + step);
            Cycles anew(line, edges, 0);
            INFO("seed " << seed << ", time " << time);
            bool any = !anew.at(time).empty();
            REQUIRE(moving.any(time) == any);
            if (random() % 2)
                REQUIRE(moving.at(time) == anew.at(time));
            ++(any ? with : without);
        }
    }
    REQUIRE(with > 1000);
    REQUIRE(without > 1000);
}

TEST_CASE("what is laid out for a moment is what is in force then") {
    Plan plan = make_plan();
    Heap heap(1);
    Timeline line = make_timeline(plan, heap.blocks, heap.writes, heap.last());
    for (size_t i = 0; i < line.versions.size(); i += 5)
        line.versions[i].target = i % 2 ? open_target : unknown_target;
    for (uint64_t time = 0; time <= heap.last(); time += 7) {
        auto all = [&] {
            std::vector<std::tuple<bool, uint64_t, uint64_t, uint64_t>> out;
            for (uint32_t cell = 0; cell < line.first_cell.back(); ++cell) {
                Span span;
                const Version *version = line.at(cell, time, span);
                out.emplace_back(version != nullptr, version ? version->value : 0, span.since,
                                 span.until);
            }
            return out;
        };
        auto looked_up = all();
        line.lay_out(time);
        REQUIRE(all() == looked_up);
    }
}

TEST_CASE("the witnesses of a lost part lead to all of it") {
    Plan plan = make_plan();
    size_t lost_in_all = 0;
    for (uint32_t seed = 0; seed < 30; ++seed) {
        Heap heap(seed);
        Timeline line = make_timeline(plan, heap.blocks, heap.writes, heap.last());
        Checker checker(line, plan, nullptr);
        Edges edges(line, plan);
        Evaluator evaluator(line, plan, edges, nullptr);
        for (uint64_t time = 0; time <= heap.last(); time += 3) {
            evaluator.begin(time);
            std::vector<Object> lost = checker.lost(1, time), below;
            for (const Inconsistency &e : checker.check(1, time)) {
                std::vector<Object> found{e.binding[0].object};
                evaluator.reach(found, 0);
                below.insert(below.end(), found.begin(), found.end());
                below.push_back(e.binding[0].object);
            }
            lost_in_all += lost.size();
            for (Object object : lost) {
                REQUIRE(!evaluator.rooted(object, 0));
                REQUIRE(std::count(below.begin(), below.end(), object));
            }
            REQUIRE(lost.empty() == below.empty());
        }
    }
    REQUIRE(lost_in_all > 100);
}

TEST_CASE("the first bad C-point is the first at which anything is wrong") {
    Plan plan = make_plan();
    // No cycle, a global constraint, and no key is eleven, object by object: what a new heap does
    // not violate.
    PlanConstraint nested = global(ShapeKind::nested, 1);
    Expr eleven;
    eleven.op = Op::number;
    eleven.number.integer = 11;
    nested.body.op = Op::ne;
    nested.body.args = {plan.constraints[2].shape.keys[0], eleven};
    plan.constraints = {plan.constraints[0], nested};
    size_t bad = 0;
    for (uint32_t seed = 0; seed < 60; ++seed) {
        Heap heap(seed);
        Timeline line = make_timeline(plan, heap.blocks, heap.writes, heap.last());
        std::vector<CPoint> points;
        for (uint64_t time = seed % 7; time <= heap.last(); time += 1 + seed % 11)
            points.push_back({time, {}, forever});
        Checker anew(line, plan, nullptr);
        size_t first = Forward::no_point;
        std::vector<Inconsistency> wanted;
        for (size_t i = 0; i < points.size() && wanted.empty(); ++i) {
            for (uint32_t c = 0; c < plan.constraints.size(); ++c)
                for (const Inconsistency &e : anew.check(c, points[i].time))
                    wanted.push_back(e);
            if (!wanted.empty())
                first = i;
        }
        Checker checker(line, plan, nullptr);
        Forward forward(checker, points);
        REQUIRE(forward.run() == first);
        const auto &found = forward.inconsistencies();
        REQUIRE(std::is_permutation(found.begin(), found.end(), wanted.begin(), wanted.end()));
        bad += first != Forward::no_point && first > 0;
    }
    REQUIRE(bad > 20);
}
