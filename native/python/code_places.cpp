// Names of code by file and offset, for what was observed without a trace.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "code_places.h"

#include "symbols/code_files.h"
#include "symbols/handing.h"
#include "symbols/numbers.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heapstory {

namespace {

class Symbols {
  public:
    // "known", "changed" (the file is not the one that was executed) or "missing".
    const char *state(const std::string &path, const std::string &build_id) {
        ElfFile *file = files_.open(path);
        if (!file)
            return "missing";
        return build_id.empty() || file->build_id() == build_id ? "known" : "changed";
    }

    nb::list places(const std::string &path, const std::string &build_id, uint64_t offset) {
        nb::list out;
        if (auto [file, address] = files_.at(path, build_id, offset); file)
            for (const Place &place : file->places(address))
                out.append(described(place));
        return out;
    }

    nb::list handed_on(const std::string &path, const std::string &build_id, uint64_t offset,
                       Arguments arguments) {
        nb::list out;
        if (auto [file, address] = files_.at(path, build_id, offset); file)
            for (Arguments found : heapstory::handed_on(*file, address, arguments))
                out.append(found);
        return out;
    }

    // Addresses, as the file has them, of variables that hold numbers only: first, beyond the last.
    nb::list numbers(const std::string &path, size_t most) {
        nb::list out;
        if (ElfFile *file = files_.open(path))
            for (const CodeRange &range : number_ranges(*file, files_.types, most))
                out.append(nb::make_tuple(range.low, range.high));
        return out;
    }

  private:
    static nb::dict described(const Place &place) {
        nb::dict made;
        made["path"] = place.path.empty() ? nb::none() : nb::cast(place.path);
        made["line"] = place.line ? nb::object(nb::int_(place.line)) : nb::none();
        made["function"] = place.function.empty() ? nb::none() : nb::cast(place.function);
        return made;
    }

    CodeFiles files_;
};

} // namespace

void bind_code_places(nb::module_ &m) {
    nb::class_<Symbols>(m, "Symbols")
        .def(nb::init<>())
        .def("state", &Symbols::state)
        .def("places", &Symbols::places)
        .def("handed_on", &Symbols::handed_on)
        .def("numbers", &Symbols::numbers);
}

} // namespace heapstory
