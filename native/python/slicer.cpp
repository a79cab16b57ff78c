// Slices of a trace's instruction stream: what it says is in src/heapstory/_core.pyi.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "slicer.h"

#include "own_code.h"
#include "slice/backward.h"
#include "slice/find.h"
#include "store/stream.h"
#include "table.h"
#include "trace.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace heapstory {

namespace {

using Place = std::pair<uint64_t, uint16_t>;  // step, instruction of its block
using Memory = std::pair<uint64_t, uint64_t>; // address, bytes

Table table_of_hits(const slice::Slice &found) {
    Batch rows(4);
    for (const slice::Hit &hit : found.hits) {
        rows[0].number(hit.address);
        rows[1].number(hit.count);
        rows[2].number(hit.first);
        rows[3].number(hit.last);
    }
    return {
        table_of({{"address", ColumnType::word}, {"count"}, {"first"}, {"last"}}, std::move(rows))};
}

class Slicer {
  public:
    explicit Slicer(const Trace &trace) : stream_(opened(trace)), code_(trace.shared_store()) {
        nb::gil_scoped_release released;
        prepared_ = std::make_unique<slice::Prepared>(
            *stream_, [this](uint64_t address) { return code_.bytes(address); });
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
        auto found = slice::find_execution(*prepared_, address, number);
        if (!found)
            return std::nullopt;
        return Place(found->step, found->instruction);
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

    std::pair<Table, nb::dict> backward(Place place, const std::vector<Memory> &memory, bool data,
                                        bool control, bool conventions, bool addresses) const {
        slice::Criterion criterion;
        criterion.point = {place.first, place.second};
        if (!slice::exists(*prepared_, criterion.point))
            throw nb::index_error("the stream has no such place");
        criterion.whole_instruction = memory.empty();
        for (auto [address, size] : memory)
            criterion.memory.push_back({address, size});
        slice::Slice found;
        {
            nb::gil_scoped_release released;
            found = slice::backward(*prepared_, criterion, {data, control, conventions, addresses});
        }
        nb::dict totals;
        totals["instructions"] = found.instructions;
        totals["visited"] = found.visited;
        totals["unresolved"] = found.unresolved;
        return {table_of_hits(found), totals};
    }

  private:
    static std::unique_ptr<StoredStream> opened(const Trace &trace) {
        auto stream = std::make_unique<StoredStream>(trace.shared_store());
        if (!stream->sequences())
            throw FormatError("the trace has no instruction stream");
        return stream;
    }
    std::unique_ptr<StoredStream> stream_;
    StoredCode code_;
    std::unique_ptr<slice::Prepared> prepared_;
};

} // namespace

void bind_slicer(nb::module_ &module) {
    nb::class_<Slicer>(module, "Slicer")
        .def(nb::init<const Trace &>(), "trace"_a)
        .def_prop_ro("counts", &Slicer::counts)
        .def("find", &Slicer::find, "address"_a, "number"_a = -1)
        .def("count", &Slicer::count, "address"_a)
        .def("place", &Slicer::place, "address"_a)
        .def("addresses", &Slicer::addresses, "path"_a, "line"_a)
        .def("variables", &Slicer::variables, "address"_a)
        .def("step_of", &Slicer::step_of, "event"_a)
        .def("backward", &Slicer::backward, "place"_a, "memory"_a = std::vector<Memory>(),
             "data"_a = true, "control"_a = true, "conventions"_a = true, "addresses"_a = true);
}

} // namespace heapstory
