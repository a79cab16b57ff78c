// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heapstory {

namespace {

nb::object known(uint64_t id) {
    return id ? nb::object(nb::int_(id)) : nb::none();
}

nb::object known(const std::string &text) {
    return text.empty() ? nb::none() : nb::cast(text);
}

} // namespace

nb::list place_of(const Tables &tables, uint32_t site) {
    if (site >= tables.sites.size())
        throw nb::index_error("no such site");
    nb::list out;
    const CodeAddress &at = tables.sites[site].statement;
    auto add = [&](const PlaceRow &row) {
        nb::dict place;
        place["path"] = known(tables.text(row.path));
        place["line"] = known(row.line);
        place["function"] = known(tables.text(row.function));
        place["module"] = known(tables.text(tables.modules[at.module].path));
        place["offset"] = at.offset;
        out.append(place);
    };
    for (const PlaceRow &row : tables.places[site])
        add(row);
    if (tables.places[site].empty())
        add({});
    return out;
}

std::vector<uint32_t> stack_of(const Tables &tables, uint32_t stack) {
    std::vector<uint32_t> sites;
    for (; stack && stack < tables.stacks.size(); stack = tables.stacks[stack].parent)
        sites.push_back(tables.stacks[stack].site);
    return sites;
}

nb::dict type_of(const Tables &tables, TypeId id) {
    if (!id || id >= tables.types.size())
        throw nb::index_error("no such type");
    constexpr const char *kinds[] = {"other", "base",        "pointer",  "record",
                                     "array", "enumeration", "function", "other"};
    const Type &type = tables.types[id];
    nb::dict out;
    out["name"] = type.name;
    out["kind"] = kinds[std::min<size_t>(size_t(type.kind), 7)];
    out["size"] = type.size;
    out["target"] = known(type.target);
    out["count"] = type.count;
    out["is_union"] = type.is_union;
    out["is_signed"] = type.is_signed;
    out["is_float"] = type.is_float;
    out["is_char"] = type.is_char;
    nb::list fields;
    for (const Field &field : type.fields) {
        nb::dict item;
        item["name"] = field.name;
        item["offset"] = field.offset;
        item["size"] = field.size;
        item["type"] = known(field.type);
        item["bit_offset"] = field.bit_offset;
        item["bit_size"] = field.bit_size;
        item["base_class"] = field.base_class;
        fields.append(item);
    }
    out["fields"] = fields;
    return out;
}

std::map<std::string, std::string> sources_of(const TraceFile &file) {
    std::map<std::string, std::string> texts;
    for (size_t i = 0; i < file.chunks().size(); ++i)
        if (file.chunks()[i].header.kind == uint16_t(ChunkKind::source)) {
            SourceText source = decode_source(file.payload(i));
            texts[source.path] = std::move(source.text);
        }
    return texts;
}

} // namespace heapstory
