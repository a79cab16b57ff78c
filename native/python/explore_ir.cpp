// The search of C's interleavings for Python.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore.h"

#include "explore/ir/drawing.h"
#include "explore/ir/search.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

namespace nb = nanobind;
using namespace nb::literals;
using namespace heapstory::explore::ir;

namespace {

using Program = std::vector<std::vector<int32_t>>;

class Interleaver {
  public:
    explicit Interleaver(const Longs &words) : code_(Code::read(words)) {}

    Found search(int32_t calls, int32_t threads, int32_t keys, size_t states, size_t memory,
                 double seconds, bool alone, const Stop &stop, const Program &program) const {
        Limits limits = within({calls, threads, keys, states, memory, seconds}, stop, program);
        limits.alone = alone;
        nb::gil_scoped_release released;
        return heapstory::explore::ir::search(code_, limits);
    }

    Found draw(int32_t calls, int32_t threads, int32_t keys, uint64_t first, uint64_t count,
               double seconds, const Stop &stop, const Program &program) const {
        Limits limits = within({calls, threads, keys, SIZE_MAX, SIZE_MAX, seconds}, stop, program);
        nb::gil_scoped_release released;
        return heapstory::explore::ir::draw(code_, limits, {first, count});
    }

    // What the operations can answer together, each called once by a thread of its own.
    std::vector<Longs> together(int32_t threads) const {
        if (threads < 1 || threads > most_threads)
            throw std::invalid_argument("1 to 4 threads can be tried");
        Limits limits{threads, threads, 1, SIZE_MAX, SIZE_MAX, 1e9};
        limits.collect = true;
        auto found = heapstory::explore::ir::search(code_, limits).answers;
        return {found.begin(), found.end()};
    }

    Sequence one_by_one(const std::vector<std::pair<int32_t, int64_t>> &calls) const {
        return heapstory::explore::ir::one_by_one(code_, calls);
    }

  private:
    static Limits within(Limits limits, const Stop &stop, const Program &program) {
        if (limits.calls < 1 || limits.calls > calls_of_thread || limits.threads < 1 ||
            limits.threads > most_threads)
            throw std::invalid_argument("1 to 8 calls of 1 to 4 threads can be tried");
        if (!program.empty() && program.size() != size_t(limits.threads))
            throw std::invalid_argument("a program for each thread");
        limits.cancelled = &stop.set;
        limits.program = program;
        return limits;
    }

    Code code_;
};

} // namespace

void bind_explore_ir(nb::module_ &m) {
    m.attr("MOST_ROUNDS") = most_rounds;
    nb::class_<Fault>(m, "MachineFault")
        .def_prop_ro("what", [](const Fault &fault) { return int64_t(fault.what); })
        .def_ro("line", &Fault::line)
        .def_ro("detail", &Fault::detail);
    nb::class_<Event>(m, "MachineEvent")
        .def_ro("thread", &Event::thread)
        .def_ro("line", &Event::line)
        .def_ro("kind", &Event::kind)
        .def_ro("address", &Event::address)
        .def_ro("value", &Event::value);
    nb::class_<Call>(m, "MachineCall")
        .def_ro("operation", &Call::operation)
        .def_prop_ro("thread", &Call::thread)
        .def_ro("slot", &Call::slot)
        .def_ro("argument", &Call::argument)
        .def_ro("answer", &Call::answer)
        .def_ro("answered", &Call::answered)
        .def_ro("after", &Call::after);
    nb::class_<Sequence>(m, "MachineSequence")
        .def_ro("answers", &Sequence::answers)
        .def_ro("faults", &Sequence::faults);
    nb::class_<Found>(m, "Interleaved")
        .def_prop_ro("outcome",
                     [](const Found &found) {
                         static const char *const names[] = {"explained", "unexplained", "odd",
                                                             "time",      "states",      "memory",
                                                             "stopped"};
                         return names[found.outcome];
                     })
        .def_ro("states", &Found::states)
        .def_ro("histories", &Found::histories)
        .def_ro("calls", &Found::calls)
        .def_ro("trail", &Found::trail)
        .def_ro("faults", &Found::faults)
        .def_ro("fault_trail", &Found::fault_trail)
        .def_ro("fault_calls", &Found::fault_calls)
        .def_ro("ended", &Found::ended)
        .def_ro("status", &Found::status)
        .def_ro("waited", &Found::waited);
    nb::class_<Interleaver>(m, "Interleaver")
        .def(nb::init<const Longs &>(), "words"_a)
        .def("search", &Interleaver::search, "calls"_a, "threads"_a, "keys"_a, "states"_a,
             "memory"_a, "seconds"_a, "alone"_a, "stop"_a, "program"_a = Program{})
        .def("draw", &Interleaver::draw, "calls"_a, "threads"_a, "keys"_a, "first"_a, "count"_a,
             "seconds"_a, "stop"_a, "program"_a = Program{})
        .def("together", &Interleaver::together, "threads"_a)
        .def("one_by_one", &Interleaver::one_by_one, "calls"_a);
}
