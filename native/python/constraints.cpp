// Structures of a trace and their constraints: what it says is in src/heapstory/_core.pyi.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints.h"

#include "constraints/cpoints/cpoints.h"
#include "constraints/load/allocations.h"
#include "constraints/load/load.h"
#include "constraints/load/synthetic.h"
#include "constraints/load/texts_of_store.h"
#include "constraints/locate/location.h"
#include "plan_reader.h"
#include "table.h"

#include <chrono>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace heapstory;
using namespace heapstory::constraints;
using Wall = std::chrono::steady_clock;

constexpr size_t most_listed = 2000; // operations of an answer

double seconds_since(Wall::time_point start) {
    return std::chrono::duration<double>(Wall::now() - start).count();
}

using GivenNode = std::tuple<uint64_t, uint64_t, uint64_t, uint64_t, std::optional<uint64_t>,
                             uint32_t, uint32_t, bool>;
using GivenPoint =
    std::tuple<uint64_t, std::vector<uint32_t>, std::optional<std::pair<uint64_t, uint32_t>>>;
using GivenBytes = std::tuple<uint64_t, uint64_t, nb::bytes, uint32_t>;

SourceBlock block_of(const GivenNode &given) {
    SourceBlock out;
    auto [id, address, size, birth, death, type_id, stack, zeroed] = given;
    out.block = {id, address, size, birth, death.value_or(forever), stack, 0, type_id};
    out.life = {address, size, birth, death.value_or(forever)};
    out.zeroed = zeroed;
    return out;
}

class Structure {
  public:
    Structure(std::shared_ptr<const Store> store, const nb::dict &plan)
        : store_(std::move(store)), plan_(read_plan(plan)) {
        nb::gil_scoped_release release;
        auto start = Wall::now();
        line_ = load(*store_, plan_);
        texts_ = std::make_unique<StoreTexts>(store_);
        checker_ = std::make_unique<Checker>(line_, plan_, texts_.get());
        // Nearly every specification asks what leads to objects.
        checker_->edges().incoming(0);
        for (uint32_t roots : plan_.root_sets)
            if (roots != none)
                checker_->edges().incoming(roots);
        load_seconds_ = seconds_since(start);
    }
    Structure(const nb::dict &plan, const std::vector<GivenNode> &nodes,
              const std::vector<GivenBytes> &writes, uint64_t last)
        : plan_(read_plan(plan)) {
        std::vector<SourceBlock> blocks;
        for (const GivenNode &node : nodes)
            blocks.push_back(block_of(node));
        std::vector<GivenWrite> given;
        for (const auto &[time, address, bytes, site] : writes)
            given.push_back({time, address, {bytes.c_str(), bytes.size()}, site});
        line_ = make_timeline(plan_, blocks, given, last);
        checker_ = std::make_unique<Checker>(line_, plan_, nullptr);
    }

    nb::dict counts() const {
        nb::dict out;
        out["objects"] = line_.objects();
        out["cells"] = line_.first_cell.back();
        out["versions"] = line_.versions.size();
        nb::list by_type;
        for (uint32_t type = 0; type < plan_.types.size(); ++type)
            by_type.append(line_.by_type[type].size());
        out["by_type"] = by_type;
        return out;
    }
    double load_seconds() const { return load_seconds_; }

    nb::list check(uint64_t at) {
        std::vector<Inconsistency> found;
        {
            nb::gil_scoped_release release;
            for (uint32_t c = 0; c < plan_.constraints.size(); ++c)
                for (Inconsistency &e : checker_->check(c, at))
                    found.push_back(std::move(e));
        }
        return list_of(found);
    }

    nb::dict locate(const std::vector<GivenPoint> &given) {
        std::vector<CPoint> points;
        for (const auto &[time, types, under_way] : given) {
            auto [settled, way] = under_way.value_or(std::pair{forever, 0u});
            points.push_back({time, types, settled, way});
        }
        nb::dict out;
        Location location;
        size_t ended = Forward::no_point;
        double check_seconds = 0, locate_seconds = 0;
        bool exact = true;
        uint64_t evaluations = 0;
        {
            nb::gil_scoped_release release;
            auto start = Wall::now();
            Forward forward(*checker_, points);
            size_t bad = forward.run();
            location.clean = forward.last_clean();
            exact = forward.exact();
            evaluations = forward.evaluations();
            check_seconds = seconds_since(start);
            start = Wall::now();
            ended = bad;
            if (bad != Forward::no_point)
                location = constraints::locate(*checker_, forward, points, bad,
                                               [&](uint32_t site) { return statement_of(site); });
            locate_seconds = seconds_since(start);
        }
        auto &[bad, clean, found, faults, decisive, astray, traced] = location;
        out["bad"] = bad == Forward::no_point ? nb::none() : nb::cast(bad);
        out["clean"] = clean == Forward::no_point ? nb::none() : nb::cast(clean);
        out["ended"] = ended == Forward::no_point ? nb::none() : nb::cast(ended);
        out["exact"] = exact;
        out["evaluations"] = evaluations;
        out["inconsistencies"] = list_of(found);
        out["traced"] = traced;
        constexpr const char *relations[] = {"direct", "fed", "related"};
        nb::list listed;
        out["operations"] = faults.size();
        faults.resize(std::min(faults.size(), most_listed));
        for (const Fault &fault : faults)
            listed.append(nb::make_tuple(fault.time, relations[size_t(fault.relation)],
                                         list_of(fault.contributed_to)));
        out["faults"] = listed;
        nb::dict graded;
        constexpr const char *grades[] = {"value", "omission", "derived", "followed"};
        for (auto [time, decision] : decisive)
            graded[nb::cast(time)] = nb::make_tuple(grades[size_t(decision.grade)],
                                                    place_of_cell(decision.cell), decision.unsafe);
        out["decisive"] = graded;
        nb::list strayed;
        for (const Astray &one : astray)
            strayed.append(nb::make_tuple(one.time, list_of({one.found})));
        out["astray"] = strayed;
        out["check_seconds"] = check_seconds;
        out["locate_seconds"] = locate_seconds;
        return out;
    }

    nb::dict cpoints(bool returns, const std::vector<std::string> &own,
                     const std::vector<std::string> &exits, const std::vector<std::string> &entries,
                     const std::vector<std::pair<std::string, uint32_t>> &lines) const {
        if (!store_)
            throw FormatError("a structure without a trace has no C-points of its own");
        CPointAnswer answer;
        {
            nb::gil_scoped_release release;
            answer = find_cpoints(*store_, line_, {returns, own, exits, entries, lines});
        }
        constexpr const char *kinds[] = {"exit", "entry", "mark", "option", "crash", "end"};
        const Tables &tables = store_->tables();
        nb::list points;
        for (const FoundCPoint &point : answer.points)
            points.append(nb::make_tuple(
                point.time, kinds[size_t(point.kind)], point.site,
                point.call ? tables.text(tables.functions[point.call].function) : std::string(),
                point.number == ~uint64_t(0) ? nb::none() : nb::cast(point.number), point.text,
                point.settled == forever ? nb::none() : nb::cast(point.settled)));
        nb::dict out;
        out["points"] = points;
        out["functions"] = answer.functions;
        out["inlined"] = answer.inlined;
        return out;
    }

    nb::list operations(const std::vector<uint64_t> &times) const;

  private:
    nb::object place_of(Object object) const {
        return nb::make_tuple(line_.blocks[line_.block[object]].id, line_.base[object]);
    }
    // Node, base of the object, its type, and the number of the cell in it.
    nb::object place_of_cell(uint32_t cell) const {
        if (cell == none)
            return nb::none();
        auto after = std::upper_bound(line_.first_cell.begin(), line_.first_cell.end(), cell);
        Object object = Object(after - line_.first_cell.begin()) - 1;
        return nb::make_tuple(line_.blocks[line_.block[object]].id, line_.base[object],
                              uint32_t(line_.type[object]), cell - line_.first_cell[object]);
    }
    nb::list list_of(const std::vector<Inconsistency> &found) const {
        nb::list out;
        for (const Inconsistency &e : found) {
            nb::list binding;
            for (const Bound &bound : e.binding)
                binding.append(bound.object == no_object ? nb::cast(int64_t(bound.number))
                                                         : place_of(bound.object));
            out.append(nb::make_tuple(e.constraint, binding));
        }
        return out;
    }
    nb::object held(const constraints::Version *version, uint64_t time) const {
        if (!version)
            return nb::none();
        uint32_t block = line_.block_of(*version);
        if (block == none)
            return nb::make_tuple(version->value, nb::none(), nb::none(), false);
        const Block &target = line_.blocks[block];
        return nb::make_tuple(version->value, target.id, version->value - target.address,
                              time >= target.death);
    }
    void add_stores(const std::vector<uint64_t> &times, nb::list &out) const;
    // One number for all sites of a statement.
    uint64_t statement_of(uint32_t site) const {
        if (!store_ || site >= store_->tables().places.size() ||
            store_->tables().places[site].empty())
            return site;
        const PlaceRow &place = store_->tables().places[site].front();
        return place.line ? uint64_t(1) << 63 | uint64_t(place.path) << 32 | place.line : site;
    }

    std::shared_ptr<const Store> store_;
    Plan plan_;
    Timeline line_;
    std::unique_ptr<Texts> texts_;
    std::unique_ptr<Checker> checker_;
    double load_seconds_ = 0;
};

void Structure::add_stores(const std::vector<uint64_t> &times, nb::list &out) const {
    for (Object object = 0; object < line_.objects(); ++object) {
        for (uint32_t cell = line_.first_cell[object]; cell < line_.first_cell[object + 1]; ++cell)
            for (const constraints::Version &version : line_.cell(cell)) {
                if (!std::binary_search(times.begin(), times.end(), version.since))
                    continue;
                Span unused;
                const constraints::Version *old =
                    version.since ? line_.at(cell, version.since - 1, unused) : nullptr;
                nb::dict item;
                item["time"] = version.since;
                item["kind"] = "store";
                item["object"] = place_of(object);
                item["type"] = uint32_t(line_.type[object]);
                item["cell"] = cell - line_.first_cell[object];
                item["old"] = held(old, version.since - 1);
                item["new"] = held(&version, version.since);
                item["site"] = version.site;
                out.append(item);
            }
    }
}

nb::list Structure::operations(const std::vector<uint64_t> &asked) const {
    std::vector<uint64_t> times = asked;
    std::sort(times.begin(), times.end());
    nb::list out;
    for (Object object = 0; object < line_.objects(); ++object) {
        if (line_.head(object) != object)
            continue;
        const Block &block = line_.blocks[line_.block[object]];
        for (bool born : {true, false})
            if (std::binary_search(times.begin(), times.end(), born ? block.birth : block.death)) {
                nb::dict item;
                item["time"] = born ? block.birth : block.death;
                item["kind"] = born ? "birth" : "death";
                item["object"] = place_of(object);
                item["type"] = uint32_t(line_.type[object]);
                item["stack"] = born ? block.stack : block.free_stack;
                out.append(item);
            }
    }
    add_stores(times, out);
    return out;
}

nb::list kinds_of(const Allocations &allocations) {
    nb::list out;
    for (const auto &[kind, stacks] : allocations.stacks()) {
        uint64_t blocks = 0;
        for (const Allocations::Stack &stack : stacks)
            blocks += stack.blocks;
        out.append(nb::make_tuple(or_none(kind.first), kind.second, blocks));
    }
    return out;
}

nb::list stacks_of(const Allocations &allocations, std::optional<TypeId> type, uint64_t size) {
    nb::list out;
    auto found = allocations.stacks().find({type.value_or(no_type), size});
    if (found != allocations.stacks().end())
        for (const Allocations::Stack &stack : found->second)
            out.append(nb::make_tuple(stack.stack, stack.node, stack.blocks));
    return out;
}

} // namespace

void add_constraints(nb::module_ &m,
                     std::function<std::shared_ptr<const Store>(nb::handle)> store_of) {
    nb::class_<Allocations>(m, "Allocations")
        .def(
            "__init__",
            [store_of](Allocations *self, nb::handle trace) {
                auto store = store_of(trace);
                nb::gil_scoped_release release;
                new (self) Allocations(*store);
            },
            "trace"_a)
        .def("kinds", &kinds_of)
        .def("stacks", &stacks_of, "type"_a.none(), "size"_a)
        .def("globals", &Allocations::globals);
    nb::class_<Structure>(m, "Structure")
        .def(
            "__init__",
            [store_of](Structure *self, nb::handle trace, const nb::dict &plan) {
                new (self) Structure(store_of(trace), plan);
            },
            "trace"_a, "plan"_a)
        .def_static(
            "given",
            [](const nb::dict &plan, const std::vector<GivenNode> &nodes,
               const std::vector<GivenBytes> &writes,
               uint64_t last) { return std::make_unique<Structure>(plan, nodes, writes, last); },
            "plan"_a, "nodes"_a, "writes"_a, "last"_a)
        .def_prop_ro("counts", &Structure::counts)
        .def_prop_ro("load_seconds", &Structure::load_seconds)
        .def("check", &Structure::check, "at"_a)
        .def("locate", &Structure::locate, "cpoints"_a)
        .def("cpoints", &Structure::cpoints, "returns"_a, "own"_a, "exits"_a, "entries"_a,
             "lines"_a)
        .def("operations", &Structure::operations, "times"_a);
}
