// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore.h"

#include "explore/search.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

namespace nb = nanobind;
using namespace nb::literals;
using namespace heapstory::explore;

namespace {

class Explorer {
  public:
    Explorer(const Words &program, int32_t type, const Words &object, int32_t names,
             bool object_uses_id)
        : question_{Program::read(program), Type(type),
                    type == int32_t(Type::program) ? Program::read(object) : Program{},
                    Names(names), object_uses_id} {}

    Found search(int32_t operations, int32_t width, int32_t keys, size_t states, size_t memory,
                 double seconds, const Stop &stop) const {
        if (operations < 1 || operations > 30)
            throw std::invalid_argument("1 to 30 operations can be explored");
        nb::gil_scoped_release released;
        return heapstory::explore::search(question_, {operations, width, keys},
                                          {states, memory, seconds, &stop.set});
    }

  private:
    Question question_;
};

} // namespace

void bind_explore(nb::module_ &m) {
    nb::class_<Stop>(m, "Stop").def(nb::init<>()).def("set", [](Stop &stop) { stop.set = true; });
    nb::class_<Action>(m, "ExploredStep")
        .def_ro("number", &Action::number)
        .def_ro("id", &Action::id)
        .def_ro("operation", &Action::operation)
        .def_ro("step", &Action::step)
        .def_ro("arguments", &Action::arguments)
        .def_ro("answered", &Action::answered)
        .def_ro("answer", &Action::answer);
    nb::class_<Found>(m, "Explored")
        .def_prop_ro("outcome",
                     [](const Found &found) {
                         static const char *const names[] = {"explained", "unexplained", "time",
                                                             "states",    "memory",      "stopped"};
                         return names[found.outcome];
                     })
        .def_ro("trail", &Found::trail)
        .def_ro("states", &Found::states)
        .def_ro("ran", &Found::ran)
        .def_ro("ended", &Found::ended)
        .def_ro("faults", &Found::faults);
    nb::class_<Explorer>(m, "Explorer")
        .def(nb::init<const Words &, int32_t, const Words &, int32_t, bool>(), "program"_a,
             "type"_a, "object"_a, "names"_a, "object_uses_id"_a)
        .def("search", &Explorer::search, "operations"_a, "width"_a, "keys"_a, "states"_a,
             "memory"_a, "seconds"_a, "stop"_a);
    bind_explore_ir(m);
}
