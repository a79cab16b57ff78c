// Structures of a trace and their constraints: what it says is in src/heapstory/_core.pyi.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints.h"

#include "constraints/load/allocations.h"
#include "constraints/locate/structure.h"
#include "plan_reader.h"
#include "symbols/code_files.h"
#include "symbols/results.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace heapstory;
using namespace heapstory::constraints;
using Release = nb::call_guard<nb::gil_scoped_release>;

using GivenNode = std::tuple<uint64_t, uint64_t, uint64_t, uint64_t, std::optional<uint64_t>,
                             uint32_t, uint32_t, bool>;
using GivenBytes = std::tuple<uint64_t, uint64_t, nb::bytes, uint32_t>;
using GivenPoint =
    std::tuple<uint64_t, std::vector<uint32_t>, std::optional<std::pair<uint64_t, uint32_t>>>;

SourceBlock block_of(const GivenNode &given) {
    SourceBlock out;
    auto [id, address, size, birth, death, type_id, stack, zeroed] = given;
    out.block = {id, address, size, birth, death.value_or(forever), stack, 0, type_id};
    out.life = {address, size, birth, death.value_or(forever)};
    out.zeroed = zeroed;
    return out;
}

std::unique_ptr<Structure> given_structure(nb::handle plan, const std::vector<GivenNode> &nodes,
                                           const std::vector<GivenBytes> &writes, uint64_t last) {
    std::vector<SourceBlock> blocks;
    for (const GivenNode &node : nodes)
        blocks.push_back(block_of(node));
    std::vector<GivenWrite> given;
    for (const auto &[time, address, bytes, site] : writes)
        given.push_back({time, address, {bytes.c_str(), bytes.size()}, site});
    return std::make_unique<Structure>(read_plan(plan), blocks, given, last);
}

using Runs = std::vector<std::pair<uint64_t, uint64_t>>;

LocateAnswer locate(Structure &structure, const std::vector<GivenPoint> &given,
                    const std::map<size_t, Runs> &busy, const std::vector<size_t> &rounds,
                    bool strict) {
    std::vector<CPoint> points;
    for (const auto &[time, types, under_way] : given) {
        auto [operation_end, way] = under_way.value_or(std::pair{forever, 0u});
        points.push_back({time, types, operation_end, way, {}});
    }
    for (const auto &[point, runs] : busy)
        points.at(point).busy = runs;
    for (size_t point : rounds)
        points.at(point).is_round = true;
    nb::gil_scoped_release release;
    return structure.locate(points, strict);
}

CPointAnswer cpoints(const Structure &structure, bool returns, std::vector<std::string> own,
                     std::vector<std::string> users, std::vector<std::string> exits,
                     std::vector<std::string> entries,
                     std::vector<std::pair<std::string, uint32_t>> lines) {
    nb::gil_scoped_release release;
    CodeFiles files;
    auto stores_result = [&](const CallAndStore &two) -> std::optional<bool> {
        FileAddress call = files.at(two.path, two.build_id, two.call),
                    store = files.at(two.path, two.build_id, two.store);
        if (!call.file || !store.file)
            return {};
        return heapstory::stores_result(*call.file, call.address, store.address);
    };
    return structure.cpoints({returns, own, users, exits, entries, lines, stores_result});
}

// 0 stands for no type.
std::vector<std::tuple<std::optional<TypeId>, uint64_t, uint64_t>>
kinds_of(const Allocations &allocations) {
    std::vector<std::tuple<std::optional<TypeId>, uint64_t, uint64_t>> out;
    for (const auto &[kind, stacks] : allocations.stacks()) {
        uint64_t blocks = 0;
        for (const Allocations::Stack &stack : stacks)
            blocks += stack.blocks;
        auto [type, size] = kind;
        out.emplace_back(type == no_type ? std::nullopt : std::optional(type), size, blocks);
    }
    return out;
}

std::vector<std::tuple<uint32_t, uint64_t, uint64_t>>
stacks_of(const Allocations &allocations, std::optional<TypeId> type, uint64_t size) {
    std::vector<std::tuple<uint32_t, uint64_t, uint64_t>> out;
    auto found = allocations.stacks().find({type.value_or(no_type), size});
    if (found != allocations.stacks().end())
        for (const Allocations::Stack &stack : found->second)
            out.emplace_back(stack.stack, stack.node, stack.blocks);
    return out;
}

void add_enums(nb::module_ &m) {
    nb::enum_<Fault::Relation>(m, "Relation")
        .value("DIRECT", Fault::Relation::direct)
        .value("FED", Fault::Relation::fed)
        .value("RELATED", Fault::Relation::related);
    nb::enum_<Grade>(m, "Grade")
        .value("VALUE", Grade::value)
        .value("OMISSION", Grade::omission)
        .value("DERIVED", Grade::derived)
        .value("FOLLOWED", Grade::followed);
    nb::enum_<OperationKind>(m, "OperationKind")
        .value("STORE", OperationKind::store)
        .value("BIRTH", OperationKind::birth)
        .value("DEATH", OperationKind::death);
    nb::enum_<CPointKind>(m, "CPointKind")
        .value("EXIT", CPointKind::exit)
        .value("ENTRY", CPointKind::entry)
        .value("MARK", CPointKind::mark)
        .value("OPTION", CPointKind::option)
        .value("CRASH", CPointKind::crash)
        .value("END", CPointKind::end);
}

void add_faults(nb::module_ &m) {
    nb::class_<FoundInconsistency>(m, "Inconsistency")
        .def_ro("constraint", &FoundInconsistency::constraint)
        .def_ro("binding", &FoundInconsistency::binding);
    nb::class_<Contribution>(m, "Contribution")
        .def_ro("time", &Contribution::time)
        .def_ro("relation", &Contribution::relation)
        .def_ro("contributed_to", &Contribution::contributed_to);
    nb::class_<FieldPlace>(m, "FieldPlace")
        .def_ro("node", &FieldPlace::node)
        .def_ro("base", &FieldPlace::base)
        .def_ro("type", &FieldPlace::type)
        .def_ro("cell", &FieldPlace::cell);
    nb::class_<DecisiveOperation>(m, "DecisiveOperation")
        .def_ro("time", &DecisiveOperation::time)
        .def_ro("grade", &DecisiveOperation::grade)
        .def_ro("field", &DecisiveOperation::field)
        .def_ro("wild", &DecisiveOperation::wild);
    nb::class_<WildPointer>(m, "WildPointer")
        .def_ro("time", &WildPointer::time)
        .def_ro("inconsistency", &WildPointer::inconsistency);
}

void add_answers(nb::module_ &m) {
    nb::class_<LocateAnswer>(m, "LocateAnswer")
        .def_ro("bad", &LocateAnswer::bad)
        .def_ro("clean", &LocateAnswer::clean)
        .def_ro("ended", &LocateAnswer::ended)
        .def_ro("exact", &LocateAnswer::exact)
        .def_ro("evaluations", &LocateAnswer::evaluations)
        .def_ro("inconsistencies", &LocateAnswer::inconsistencies)
        .def_ro("traced", &LocateAnswer::traced)
        .def_ro("operations", &LocateAnswer::operations)
        .def_ro("faults", &LocateAnswer::faults)
        .def_ro("decisive", &LocateAnswer::decisive)
        .def_ro("wild", &LocateAnswer::wild)
        .def_ro("check_seconds", &LocateAnswer::check_seconds)
        .def_ro("locate_seconds", &LocateAnswer::locate_seconds);
    nb::class_<FoundCPoint>(m, "FoundCPoint")
        .def_ro("time", &FoundCPoint::time)
        .def_ro("kind", &FoundCPoint::kind)
        .def_ro("site", &FoundCPoint::site)
        .def_ro("depth", &FoundCPoint::depth)
        .def_ro("function", &FoundCPoint::function)
        .def_ro("number", &FoundCPoint::number)
        .def_ro("text", &FoundCPoint::text)
        .def_ro("operation_end", &FoundCPoint::operation_end)
        .def_ro("is_round", &FoundCPoint::is_round)
        .def_ro("busy", &FoundCPoint::busy);
    nb::class_<CPointAnswer>(m, "CPointAnswer")
        .def_ro("points", &CPointAnswer::points)
        .def_ro("functions", &CPointAnswer::functions)
        .def_ro("inlined", &CPointAnswer::inlined)
        .def_ro("inlined_users", &CPointAnswer::inlined_users);
}

void add_operations(nb::module_ &m) {
    nb::class_<HeldValue>(m, "HeldValue")
        .def_ro("value", &HeldValue::value)
        .def_ro("node", &HeldValue::node)
        .def_ro("offset", &HeldValue::offset)
        .def_ro("stale", &HeldValue::stale);
    nb::class_<Operation>(m, "Operation")
        .def_ro("time", &Operation::time)
        .def_ro("kind", &Operation::kind)
        .def_ro("object", &Operation::object)
        .def_ro("type", &Operation::type)
        .def_ro("stack", &Operation::stack)
        .def_ro("cell", &Operation::cell)
        .def_ro("site", &Operation::site)
        .def_ro("before", &Operation::before)
        .def_ro("after", &Operation::after);
    nb::class_<Counts>(m, "Counts")
        .def_ro("objects", &Counts::objects)
        .def_ro("cells", &Counts::cells)
        .def_ro("versions", &Counts::versions)
        .def_ro("by_type", &Counts::by_type);
}

} // namespace

void add_constraints(nb::module_ &m, StoreOf store_of) {
    add_plan(m);
    add_enums(m);
    add_faults(m);
    add_answers(m);
    add_operations(m);
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
            [store_of](Structure *self, nb::handle trace, nb::handle plan,
                       std::optional<uint64_t> until) {
                auto store = store_of(trace);
                Plan read = read_plan(plan);
                nb::gil_scoped_release release;
                new (self) Structure(std::move(store), std::move(read), until.value_or(forever));
            },
            "trace"_a, "plan"_a, "until"_a = nb::none())
        .def_static("given", &given_structure, "plan"_a, "nodes"_a, "writes"_a, "last"_a)
        .def_prop_ro("counts", &Structure::counts)
        .def_prop_ro("load_seconds", &Structure::load_seconds)
        .def("check", &Structure::check, "at"_a, Release())
        .def("locate", &locate, "cpoints"_a, "busy"_a = std::map<size_t, Runs>(),
             "rounds"_a = std::vector<size_t>(), "strict"_a = true)
        .def("cpoints", &cpoints, "returns"_a, "own"_a, "users"_a, "exits"_a, "entries"_a,
             "lines"_a)
        .def("operations", &Structure::operations, "times"_a);
}
