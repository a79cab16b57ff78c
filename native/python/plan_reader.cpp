// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan_reader.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <type_traits>

namespace nb = nanobind;

namespace {

using namespace heapstory::constraints;

template <class T> void read(nb::handle from, T &out);

// Where a number may be missing, the engine has `none`.
void read(nb::handle from, uint32_t &out) {
    out = from.is_none() ? none : nb::cast<uint32_t>(from);
}

// Exact up to 128 bits.
void read(nb::handle from, Number &out) {
    out.is_real = PyFloat_Check(from.ptr());
    if (out.is_real) {
        out.real = nb::cast<double>(from);
        return;
    }
    nb::object high = from.attr("__rshift__")(64), low = from.attr("__and__")(UINT64_MAX);
    out.integer = Integer(nb::cast<int64_t>(high)) << 64 | Integer(nb::cast<uint64_t>(low));
}

template <class T> void read(nb::handle from, std::vector<T> &out) {
    for (nb::handle item : from)
        read(item, out.emplace_back());
}

template <class T> void read(nb::handle from, std::optional<T> &out) {
    if (!from.is_none())
        read(from, out.emplace());
}

void read(nb::handle from, std::shared_ptr<const Expr> &out) {
    if (from.is_none())
        return;
    auto expr = std::make_shared<Expr>();
    read(from, *expr);
    out = std::move(expr);
}

// A structure of the plan by its members, anything else as it is.
template <class T> void read(nb::handle from, T &out) {
    if constexpr (requires { out.for_each_member([](const char *, auto &) {}); })
        out.for_each_member([&](const char *name, auto &member) { read(from.attr(name), member); });
    else
        out = nb::cast<T>(from);
}

} // namespace

Plan read_plan(nb::handle plan) {
    Plan out;
    read(plan, out);
    complete(out);
    return out;
}

#define HEAPSTORY_VALUE(name, python) .value(#python, Enum::name)

void add_plan(nb::module_ &m) {
    {
        using Enum = FieldKind;
        nb::enum_<Enum>(m, "Kind", "How the bytes of a field are read (little-endian).")
#define HEAPSTORY_KIND HEAPSTORY_VALUE
#include "constraints/plan/vocabulary.h"
            ;
    }
    {
        using Enum = Op;
        nb::enum_<Enum>(m, "Op", "What an expression does.")
#define HEAPSTORY_ATOM HEAPSTORY_VALUE
#define HEAPSTORY_OP HEAPSTORY_VALUE
#include "constraints/plan/vocabulary.h"
            ;
    }
    {
        using Enum = BinderKind;
        nb::enum_<Enum>(m, "BinderKind", "Where the candidates for a variable are to be found.")
#define HEAPSTORY_BINDER HEAPSTORY_VALUE
#include "constraints/plan/vocabulary.h"
            ;
    }
    {
        using Enum = Quantifier;
        nb::enum_<Enum>(m, "Quantifier")
#define HEAPSTORY_QUANTIFIER HEAPSTORY_VALUE
#include "constraints/plan/vocabulary.h"
            ;
    }
    {
        using Enum = ShapeKind;
        nb::enum_<Enum>(m, "ShapeKind", "How to find canonical witnesses.")
#define HEAPSTORY_SHAPE HEAPSTORY_VALUE
#include "constraints/plan/vocabulary.h"
            ;
    }
    m.def("is_atom", &is_atom, nb::arg("op"));
}
