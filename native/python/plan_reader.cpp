// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan_reader.h"

#include "format/container/bytes.h"

#include <algorithm>
#include <array>
#include <nanobind/stl/string.h>
#include <string_view>

namespace nb = nanobind;

namespace {

using namespace heapstory::constraints;

// In the order of Op.
constexpr std::array<std::string_view, 49> op_names = {
    "field",    "index",      "string",    "attribute", "indegree", "outdegree", "external",
    "internal", "isroot",     "isleaf",    "edge",      "path",     "rooted",    "safe",
    "written",  "references", "aggregate", "exists",    "variable", "number",    "text",
    "null",     "true",       "false",     "add",       "sub",      "mul",       "div",
    "mod",      "bitand",     "neg",       "abs",       "min",      "max",       "least",
    "greatest", "extent",     "length",    "hash",      "eq",       "ne",        "lt",
    "le",       "gt",         "ge",        "and",       "or",       "not",       "if"};
constexpr std::array<std::string_view, 6> kind_names = {"int",     "uint",  "float",
                                                        "pointer", "chars", "word"};
constexpr std::array<std::string_view, 6> binder_names = {"all", "value",   "out",
                                                          "in",  "reached", "reaching"};
constexpr std::array<std::string_view, 5> shape_names = {"nested", "acyclic", "connected", "unique",
                                                         "rooted"};

template <class Names> uint8_t number_of(const Names &names, std::string_view name) {
    auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
        throw heapstory::FormatError("a plan of another version: it has " + std::string(name));
    return uint8_t(at - names.begin());
}

nb::object get(const nb::dict &from, const char *name) {
    return from.contains(name) ? nb::object(from[name]) : nb::none();
}
std::string text(const nb::dict &from, const char *name) {
    nb::object value = get(from, name);
    return value.is_none() ? std::string() : nb::cast<std::string>(value);
}
template <class T> T number(const nb::dict &from, const char *name, T otherwise = 0) {
    nb::object value = get(from, name);
    return value.is_none() ? otherwise : nb::cast<T>(value);
}
bool flag(const nb::dict &from, const char *name) {
    nb::object value = get(from, name);
    return !value.is_none() && nb::cast<bool>(value);
}
template <class T> std::optional<T> maybe(const nb::dict &from, const char *name) {
    nb::object value = get(from, name);
    return value.is_none() ? std::optional<T>() : nb::cast<T>(value);
}
template <class Visit> void each(const nb::dict &from, const char *name, Visit visit) {
    nb::object list = get(from, name);
    if (!list.is_none())
        for (nb::handle item : list)
            visit(nb::cast<nb::dict>(item));
}

Expr expression(const nb::dict &from);

void number_into(nb::handle value, Expr &out) {
    if (PyFloat_Check(value.ptr())) {
        out.is_real = true;
        out.real = PyFloat_AsDouble(value.ptr());
        return;
    }
    int overflow = 0;
    long long small = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (!overflow) {
        out.integer = small;
        return;
    }
    nb::object high = value.attr("__rshift__")(64), low = value.attr("__and__")(UINT64_MAX);
    out.integer = Integer(nb::cast<int64_t>(high)) << 64 | Integer(nb::cast<uint64_t>(low));
}

Binder binder(const nb::dict &from) {
    Binder out;
    out.kind = BinderKind(number_of(binder_names, text(from, "kind")));
    if (nb::object of = get(from, "of"); !of.is_none())
        out.of = std::make_shared<Expr>(expression(nb::cast<nb::dict>(of)));
    out.edges = number<uint32_t>(from, "edges");
    return out;
}

Expr expression(const nb::dict &from) {
    Expr out;
    out.op = Op(number_of(op_names, text(from, "op")));
    each(from, "args", [&](const nb::dict &arg) { out.args.push_back(expression(arg)); });
    out.index = number<uint32_t>(from, "index");
    out.type = number<uint32_t>(from, "type", none);
    out.edges = number<uint32_t>(from, "edges");
    if (nb::object value = get(from, "number"); !value.is_none())
        number_into(value, out);
    out.text = text(from, "text");
    if (nb::object found = get(from, "binder"); !found.is_none())
        out.binder = binder(nb::cast<nb::dict>(found));
    return out;
}

std::optional<Expr> maybe_expression(const nb::dict &from, const char *name) {
    nb::object value = get(from, name);
    return value.is_none() ? std::optional<Expr>() : expression(nb::cast<nb::dict>(value));
}

PlanField field(const nb::dict &from) {
    PlanField out;
    out.offset = number<uint64_t>(from, "offset");
    out.size = number<uint64_t>(from, "size");
    out.kind = FieldKind(number_of(kind_names, text(from, "kind")));
    out.bit_offset = number<uint8_t>(from, "bit_offset");
    out.bit_size = number<uint8_t>(from, "bit_size");
    if (out.kind != FieldKind::chars && (out.size == 0 || out.size > 8))
        out.kind = FieldKind::chars; // wider than any number: never read as one
    return out;
}

EdgeRef edge(const nb::dict &from) {
    return {number<uint32_t>(from, "type", none), number<uint32_t>(from, "field", none),
            number<uint32_t>(from, "run", none)};
}

PlanMember member(const nb::dict &from) {
    PlanMember out;
    out.type_id = maybe<uint32_t>(from, "type_id");
    for (nb::handle stack : get(from, "stacks"))
        out.stacks.push_back(nb::cast<uint32_t>(stack));
    out.node = maybe<uint64_t>(from, "node");
    out.base = number<uint64_t>(from, "base");
    out.stride = maybe<uint64_t>(from, "stride");
    return out;
}

PlanType type(const nb::dict &from) {
    PlanType out;
    out.name = text(from, "name");
    out.size = number<uint64_t>(from, "size");
    each(from, "members", [&](const nb::dict &d) { out.members.push_back(member(d)); });
    each(from, "fields", [&](const nb::dict &d) { out.fields.push_back(field(d)); });
    each(from, "runs", [&](const nb::dict &d) {
        out.runs.push_back({field(nb::cast<nb::dict>(d["field"])), number<uint64_t>(d, "stride"),
                            maybe<uint64_t>(d, "count")});
    });
    each(from, "roots", [&](const nb::dict &d) { out.roots.push_back(edge(d)); });
    out.implied = flag(from, "implied");
    return out;
}

PlanConstraint constraint(const nb::dict &from) {
    PlanConstraint out;
    out.name = text(from, "name");
    each(from, "variables", [&](const nb::dict &d) {
        out.variables.push_back({number<uint32_t>(d, "type"), text(d, "quantifier") == "exists",
                                 binder(nb::cast<nb::dict>(d["binder"]))});
    });
    each(from, "loops", [&](const nb::dict &d) {
        out.loops.push_back({expression(nb::cast<nb::dict>(d["first"])),
                             expression(nb::cast<nb::dict>(d["last"]))});
    });
    out.guard = maybe_expression(from, "guard");
    out.body = expression(nb::cast<nb::dict>(from["body"]));
    nb::dict shape = nb::cast<nb::dict>(from["shape"]);
    out.shape.kind = ShapeKind(number_of(shape_names, text(shape, "kind")));
    out.shape.edges = number<uint32_t>(shape, "edges");
    out.shape.filter = maybe_expression(shape, "filter");
    each(shape, "keys", [&](const nb::dict &d) { out.shape.keys.push_back(expression(d)); });
    return out;
}

} // namespace

Plan read_plan(const nb::dict &from) {
    Plan out;
    each(from, "types", [&](const nb::dict &d) { out.types.push_back(type(d)); });
    for (nb::handle set : get(from, "edge_sets")) {
        out.edge_sets.emplace_back();
        for (nb::handle ref : set)
            out.edge_sets.back().push_back(edge(nb::cast<nb::dict>(ref)));
    }
    each(from, "attributes", [&](const nb::dict &d) {
        PlanAttribute attribute;
        attribute.type = number<uint32_t>(d, "type");
        attribute.value = expression(nb::cast<nb::dict>(d["value"]));
        attribute.edges = number<uint32_t>(d, "edges", none);
        if (nb::object null = get(d, "null"); !null.is_none()) {
            attribute.null.emplace();
            attribute.null->op = Op::number;
            number_into(null, *attribute.null);
        }
        out.attributes.push_back(std::move(attribute));
    });
    each(from, "constraints", [&](const nb::dict &d) { out.constraints.push_back(constraint(d)); });
    complete(out);
    return out;
}
