// Slices of a trace's instruction stream: what it says is in src/heapstory/_core.pyi.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "slicer.h"

#include "own_code.h"
#include "slice/backward/backward.h"
#include "slice/backward/explain.h"
#include "slice/find.h"
#include "slice/holds.h"
#include "slice/kept.h"
#include "slice/statements.h"
#include "slice_answers.h"
#include "slice_forward.h"
#include "slice_lists.h"
#include "slice_loops.h"
#include "slice_pairs.h"
#include "store/stream.h"
#include "table.h"
#include "trace.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <set>

namespace nb = nanobind;
using namespace nb::literals;

namespace heapstory {

namespace {

using Place = StreamPlace;
using Memory = MemoryRange;
using Places = std::vector<Place>;
constexpr size_t most_ranges = 10000; // of unresolved memory that are listed

std::optional<Place> place_of(std::optional<slice::Point> point) {
    if (!point)
        return std::nullopt;
    return Place(point->step, point->instruction);
}

slice::Point point_of(Place place) {
    return {place.first, place.second};
}

std::vector<RegisterBytes> bytes_of(const stream::RegisterSet &registers) {
    std::vector<RegisterBytes> found;
    for (unsigned byte = 0; byte < stream::register_bytes; ++byte) {
        if (!registers.has(byte))
            continue;
        if (!found.empty() && found.back().first + found.back().second == byte)
            ++found.back().second;
        else
            found.emplace_back(byte, 1);
    }
    return found;
}

Table table_of_moments(const slice::Explained &explained) {
    Batch rows(7);
    for (const slice::Moment &moment : explained.moments) {
        rows[0].number(moment.statement);
        rows[1].number(moment.thread);
        rows[2].number(moment.activation);
        rows[3].id(moment.stack);
        rows[4].number(moment.first);
        rows[5].number(moment.last);
        rows[6].number(moment.many);
    }
    return {table_of(
        {{"statement"}, {"thread"}, {"activation"}, {"stack"}, {"first"}, {"last"}, {"many"}},
        std::move(rows))};
}

Table table_of_edges(const slice::Explained &explained) {
    Batch rows(7);
    for (const slice::Edge &edge : explained.edges) {
        rows[0].number(edge.user);
        rows[1].number(edge.definer);
        rows[2].number(uint64_t(edge.kind));
        rows[3].number(edge.where);
        rows[4].number(edge.size);
        rows[5].number(edge.value);
        rows[6].number(edge.count);
    }
    return {table_of({{"user"},
                      {"definer"},
                      {"kind"},
                      {"where", ColumnType::word},
                      {"size"},
                      {"value", ColumnType::word},
                      {"count"}},
                     std::move(rows))};
}

std::vector<slice::FileChange> file_changes(const Store &store) {
    std::vector<slice::FileChange> found;
    for (uint32_t chunk : store.event_chunks()) {
        for (const Mark &mark : store.events(chunk).marks())
            if (mark.kind == Mark::Kind::mapping)
                found.push_back({std::strtoull(mark.text.c_str(), nullptr, 10),
                                 mark.text.find(' ') != std::string::npos, mark.a, mark.b});
        store.file().release(chunk);
    }
    return found;
}

// What walks by some options found; other options begin anew.
template <class Options> class KeptIndex {
  public:
    slice::WalkIndex &serving(const Options &options) {
        if (!index_ || options_ != options) {
            index_.emplace();
            options_ = options;
        }
        return *index_;
    }

  private:
    Options options_;
    std::optional<slice::WalkIndex> index_;
};

class Slicer {
  public:
    explicit Slicer(const Trace &trace)
        : store_(trace.shared_store()), stream_(opened(trace)), code_(store_) {
        nb::gil_scoped_release released;
        prepared_ = std::make_unique<slice::Prepared>(
            *stream_, [this](uint64_t address) { return code_.bytes(address); });
        const std::vector<slice::FileChange> files = file_changes(*store_);
        if (!files.empty()) // an older trace does not know them
            prepared_->set_files(files);
    }

    nb::dict counts() const {
        nb::dict counts;
        counts["steps"] = prepared_->steps();
        counts["instructions"] = prepared_->instructions();
        counts["blocks"] = stream_->blocks();
        counts["sequences"] = stream_->sequences();
        counts["bytes"] = stream_->bytes();
        return counts;
    }
    std::optional<Place> find(uint64_t address, int64_t number) const {
        nb::gil_scoped_release released;
        return place_of(slice::find_execution(*prepared_, address, number));
    }
    std::optional<Place> since(uint64_t address, uint64_t step) const {
        nb::gil_scoped_release released;
        return place_of(slice::first_since(*prepared_, address, step));
    }
    uint64_t count(uint64_t address) const {
        nb::gil_scoped_release released;
        return slice::count_executions(*prepared_, address);
    }
    nb::list place(uint64_t address) const { return places_in(code_, address); }
    std::vector<uint64_t> addresses(const std::string &path, uint32_t line) const {
        return code_.addresses(path, line);
    }
    nb::list variables(uint64_t address) const { return variables_in(code_, address); }
    std::optional<uint64_t> step_of(uint64_t event) const { return stream_->step_of(event); }
    std::vector<stream::Allocation> allocations() const { return stream_->allocations(); }
    slice::LinesOf lines() const {
        return [this](uint64_t address) {
            std::vector<uint64_t> found;
            for (const PlaceRow &place : code_.places(address))
                found.push_back(uint64_t(place.path) << 32 | place.line);
            return found;
        };
    }
    // As of the end of a step.
    uint64_t timestamp(uint64_t step) const {
        return store_->timestamp_after(stream_->events_by(step));
    }
    Place end() const { return *place_of(prepared_->end()); }
    std::optional<Place> read(int64_t number) const {
        nb::gil_scoped_release released;
        return place_of(slice::find_read(*prepared_, number));
    }
    std::optional<Place> fault() const {
        nb::gil_scoped_release released;
        return place_of(slice::find_fault(*prepared_));
    }
    std::optional<Place> writer(uint64_t step, uint64_t address) const {
        nb::gil_scoped_release released;
        return place_of(slice::find_writer(*prepared_, step, address));
    }
    std::vector<uint64_t> deciders(uint64_t address) const {
        nb::gil_scoped_release released;
        return slice::deciders(*prepared_, address);
    }
    std::optional<std::pair<Place, unsigned>> kept(uint64_t branch, uint64_t writer,
                                                   std::pair<uint64_t, uint64_t> steps, Memory node,
                                                   const std::vector<Memory> &others) const {
        nb::gil_scoped_release released;
        slice::KeptQuestion question{branch, writer, steps.first, steps.second, {}, {}};
        question.node = {node.first, node.second};
        for (auto [address, size] : others)
            question.others.push_back({address, size});
        const std::optional<slice::Kept> found = slice::find_kept(*prepared_, question);
        if (!found)
            return std::nullopt;
        return std::pair(*place_of(found->branch), unsigned(found->by));
    }
    Table holds(Memory block, uint64_t made, uint64_t until) const {
        std::vector<slice::Hold> found;
        {
            nb::gil_scoped_release released;
            found = slice::find_holds(*prepared_, {block.first, block.second}, made, until);
        }
        Batch rows(4);
        for (const slice::Hold &hold : found) {
            rows[0].id(hold.address);
            rows[1].number(hold.begin.step);
            rows[2].number(hold.ended ? std::optional(hold.end.step) : std::nullopt);
            rows[3].number(hold.end.instruction);
        }
        return {table_of({{"address", ColumnType::word}, {"begin"}, {"end"}, {"instruction"}},
                         std::move(rows))};
    }
    std::optional<uint64_t> address(Place place) const {
        nb::gil_scoped_release released;
        return slice::address_at(*prepared_, point_of(place));
    }

    std::vector<uint64_t> own_instructions() const {
        std::set<uint64_t> found;
        for (uint32_t id = 1; id <= stream_->blocks(); ++id)
            if (stream_->block(id).own)
                for (const stream::Instruction &one : prepared_->effects(id).instructions)
                    found.insert(one.address);
        return {found.begin(), found.end()};
    }
    void set_statements(const std::vector<uint64_t> &addresses,
                        const std::vector<uint32_t> &numbers) {
        nb::gil_scoped_release released;
        statements_ = std::make_unique<slice::Statements>(*prepared_, addresses, numbers);
        explanations_ = {};
    }

    nb::dict run(const std::vector<uint64_t> &addresses, int64_t number,
                 std::optional<Place> before) const {
        std::optional<slice::StatementRun> found;
        uint64_t count = 0;
        {
            nb::gil_scoped_release released;
            std::optional<slice::Point> end;
            if (before)
                end = point_of(*before);
            const slice::StatementRuns runs(*prepared_, addresses, end, [&](uint64_t address) {
                const auto places = code_.places(address);
                return places.empty() ? 0 : uint64_t(places.back().function);
            });
            count = runs.count();
            found = runs.find(number);
        }
        const slice::StatementRun run = found.value_or(slice::StatementRun());
        Places instructions, arguments;
        for (slice::Point point : run.instructions)
            instructions.emplace_back(point.step, point.instruction);
        for (slice::Point point : run.arguments)
            arguments.emplace_back(point.step, point.instruction);
        nb::dict made;
        made["count"] = count;
        made["instructions"] = instructions;
        made["arguments"] = arguments;
        std::vector<HandedBytes> handed;
        for (const slice::Handed &one : run.handed) {
            std::vector<Memory> memory;
            for (const stream::Range &range : one.memory)
                memory.emplace_back(range.address, range.size);
            handed.emplace_back(*place_of(one.point), bytes_of(one.registers), memory);
        }
        made["handed"] = handed;
        made["after"] = Place(run.after.step, run.after.instruction);
        made["next"] = or_none(run.next);
        made["stack"] = or_none(run.stack);
        return made;
    }

    std::pair<Table, nb::dict> backward(Place place, const std::vector<Memory> &memory, bool data,
                                        bool control, bool conventions, bool addresses) const {
        const slice::Criterion criterion = criterion_of(*prepared_, place, memory);
        slice::Slice found;
        {
            nb::gil_scoped_release released;
            const slice::Options options{data, control, conventions, addresses};
            std::lock_guard one_walk_at_a_time(indexes_in_use_);
            found = slice::backward(*prepared_, criterion, options, slices_.serving(options));
        }
        nb::dict totals;
        totals["instructions"] = found.instructions;
        totals["visited"] = found.visited;
        totals["unresolved"] = found.unresolved;
        return {table_of_hits(found), totals};
    }

    nb::dict explain(Place point, const Places &instructions, const std::vector<Memory> &memory,
                     const std::vector<RegisterBytes> &registers,
                     const std::vector<HandedBytes> &handed, bool data, bool control,
                     bool conventions, bool addresses, const std::vector<uint32_t> &stops,
                     size_t most) const {
        const slice::Criterion criterion =
            criterion_of(*prepared_, {point, instructions, memory, registers, handed});
        slice::Explaining explaining{std::vector<bool>(known().count() + 1), most};
        for (uint32_t statement : stops)
            explaining.stops.at(statement) = true;
        slice::Explained found;
        {
            nb::gil_scoped_release released;
            const slice::Options options{data, control, conventions, addresses};
            std::lock_guard one_walk_at_a_time(indexes_in_use_);
            found = slice::explain(*prepared_, known(), criterion, options, explaining,
                                   explanations_.serving(std::pair(options, explaining)));
        }
        return described(found);
    }

    const slice::Prepared &prepared() const { return *prepared_; }

  private:
    const slice::Statements &known() const {
        if (!statements_)
            throw nb::value_error("set_statements has not been called");
        return *statements_;
    }
    // Instructions of the slice at whose address other code of the program lay as well.
    uint64_t changed(const slice::Slice &found) const {
        return uint64_t(std::ranges::count_if(found.hits, [&](const slice::Hit &hit) {
            return hit.block && stream_->block(hit.block).own &&
                   prepared_->graph().is_changed(hit.block);
        }));
    }
    nb::dict described(const slice::Explained &found) const {
        uint64_t bytes = 0;
        std::vector<Memory> ranges;
        for (const stream::Range &range : found.unresolved) {
            bytes += range.size;
            if (ranges.size() < most_ranges)
                ranges.emplace_back(range.address, range.size);
        }
        nb::dict made;
        made["instructions"] = found.slice.instructions;
        made["visited"] = found.slice.visited;
        made["signals"] = found.slice.signals;
        made["unresolved_memory"] = ranges;
        made["unresolved_registers"] = found.slice.unresolved - bytes;
        made["exact"] = found.exact;
        made["changed"] = changed(found.slice);
        made["hits"] = table_of_hits(found.slice);
        made["moments"] = table_of_moments(found);
        made["edges"] = table_of_edges(found);
        return made;
    }
    static std::unique_ptr<StoredStream> opened(const Trace &trace) {
        auto stream = std::make_unique<StoredStream>(trace.shared_store());
        if (!stream->sequences())
            throw FormatError("the trace has no instruction stream");
        return stream;
    }
    std::shared_ptr<const Store> store_;
    std::unique_ptr<StoredStream> stream_;
    StoredCode code_;
    std::unique_ptr<slice::Prepared> prepared_;
    std::unique_ptr<slice::Statements> statements_;
    mutable std::mutex indexes_in_use_;
    mutable KeptIndex<slice::Options> slices_;
    mutable KeptIndex<std::pair<slice::Options, slice::Explaining>> explanations_;
};

} // namespace

void bind_slicer(nb::module_ &module) {
    nb::class_<Slicer>(module, "Slicer")
        .def(nb::init<const Trace &>(), "trace"_a)
        .def_prop_ro("counts", &Slicer::counts)
        .def("find", &Slicer::find, "address"_a, "number"_a = -1)
        .def("since", &Slicer::since, "address"_a, "step"_a)
        .def("count", &Slicer::count, "address"_a)
        .def("place", &Slicer::place, "address"_a)
        .def("addresses", &Slicer::addresses, "path"_a, "line"_a)
        .def("variables", &Slicer::variables, "address"_a)
        .def("step_of", &Slicer::step_of, "event"_a)
        .def("backward", &Slicer::backward, "place"_a, "memory"_a = std::vector<Memory>(),
             "data"_a = true, "control"_a = true, "conventions"_a = true, "addresses"_a = true)
        .def("timestamp", &Slicer::timestamp, "step"_a)
        .def_prop_ro("end", &Slicer::end)
        .def("read", &Slicer::read, "number"_a)
        .def("fault", &Slicer::fault)
        .def("writer", &Slicer::writer, "step"_a, "address"_a)
        .def("deciders", &Slicer::deciders, "address"_a)
        .def("kept", &Slicer::kept, "branch"_a, "writer"_a, "steps"_a, "node"_a, "others"_a)
        .def("holds", &Slicer::holds, "block"_a, "made"_a, "until"_a)
        .def("address", &Slicer::address, "place"_a)
        .def("own_instructions", &Slicer::own_instructions)
        .def("set_statements", &Slicer::set_statements, "addresses"_a, "numbers"_a)
        .def("run", &Slicer::run, "addresses"_a, "number"_a = -1, "before"_a = nb::none())
        .def("explain", &Slicer::explain, "point"_a, "instructions"_a = Places(),
             "memory"_a = std::vector<Memory>(), "registers"_a = std::vector<RegisterBytes>(),
             "handed"_a = std::vector<HandedBytes>(), "data"_a = true, "control"_a = true,
             "conventions"_a = true, "addresses"_a = true, "stops"_a = std::vector<uint32_t>(),
             "most"_a = 20000)
        .def(
            "forward",
            [](const Slicer &slicer, const Asked &from, bool data, bool control, bool conventions,
               bool addresses) {
                return forward_slice(slicer.prepared(), from,
                                     {data, control, conventions, addresses});
            },
            "origin"_a, "data"_a = true, "control"_a = true, "conventions"_a = true,
            "addresses"_a = true)
        .def(
            "chop",
            [](const Slicer &slicer, const Asked &from, const Asked &to, bool data, bool control,
               bool conventions, bool addresses) {
                return chop_between(slicer.prepared(), from, to,
                                    {data, control, conventions, addresses});
            },
            "origin"_a, "target"_a, "data"_a = true, "control"_a = true, "conventions"_a = true,
            "addresses"_a = true)
        .def(
            "by_lists",
            [](const Slicer &slicer, StreamPlace place, double seconds) {
                return slice_by_lists(slicer.prepared(), place, seconds);
            },
            "place"_a, "seconds"_a)
        .def(
            "loops",
            [](const Slicer &slicer, const std::vector<MemoryRange> &ignored, bool forward,
               bool whole) {
                return loop_tables(slicer.prepared(), ignored, slicer.allocations(), slicer.lines(),
                                   forward, whole);
            },
            "ignored"_a = std::vector<MemoryRange>(), "forward"_a = true, "whole"_a = true)
        .def(
            "load_pairs",
            [](const Slicer &slicer, const std::vector<LoadedMemory> &memory) {
                return load_pair_table(slicer.prepared(), memory);
            },
            "memory"_a);
}

} // namespace heapstory
