// SPDX-License-Identifier: GPL-2.0-or-later
#include "own_code.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heapstory {

namespace {

using Where = PlacedVariable::Where;

const char *name_of(Where where) {
    switch (where) {
    case Where::registers:
        return "registers";
    case Where::frame:
        return "frame";
    case Where::memory:
        return "memory";
    default:
        return "address";
    }
}

nb::object text_or_none(const StoredCode &code, uint32_t string) {
    return string ? nb::cast(code.text(string)) : nb::none();
}

nb::dict described(const StoredCode &code, const PlacedVariable &variable) {
    nb::dict made;
    made["name"] = code.text(variable.name);
    made["type"] = variable.type == no_type ? nb::none() : nb::object(nb::int_(variable.type));
    made["size"] = variable.size;
    made["where"] = variable.where == Where::nowhere ? nb::none()
                                                     : nb::object(nb::str(name_of(variable.where)));
    made["at"] = variable.at;
    made["base"] = variable.base;
    made["piece"] = nb::make_tuple(variable.piece, variable.piece_size);
    return made;
}

} // namespace

nb::list places_in(const StoredCode &code, uint64_t address) {
    nb::list found;
    for (const PlaceRow &place : code.places(address)) {
        nb::dict made;
        made["path"] = text_or_none(code, place.path);
        made["line"] = place.line ? nb::object(nb::int_(place.line)) : nb::none();
        made["function"] = text_or_none(code, place.function);
        found.append(made);
    }
    return found;
}

nb::list variables_in(const StoredCode &code, uint64_t address) {
    nb::list found;
    for (const PlacedVariable &variable : code.variables(address))
        found.append(described(code, variable));
    return found;
}

} // namespace heapstory
