// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/program/tables.h"

#include "format/container/chunk.h"
#include "format/container/printable.h"

#include <algorithm>

namespace heapstory {

namespace {

Bytes packed(const ByteWriter &plain) {
    ByteWriter out;
    pack(out, plain.bytes);
    return std::move(out.bytes);
}

Bytes unpacked(ByteSpan payload) {
    ByteReader in(payload);
    return unpack(in);
}

void write(ByteWriter &out, const CodeAddress &address) {
    out.varint(address.module);
    out.varint(address.offset);
}

CodeAddress read_address(ByteReader &in) {
    CodeAddress address;
    address.module = uint32_t(in.varint());
    address.offset = in.varint();
    return address;
}

void write(ByteWriter &out, const PlaceRow &place) {
    out.varint(place.function);
    out.varint(place.path);
    out.varint(place.line);
}

PlaceRow read_place(ByteReader &in) {
    PlaceRow place;
    place.function = uint32_t(in.varint());
    place.path = uint32_t(in.varint());
    place.line = uint32_t(in.varint());
    return place;
}

void write(ByteWriter &out, const Type &type) {
    out.fixed(type.kind);
    out.string(type.name);
    out.varint(type.size);
    out.varint(type.target);
    out.varint(type.count);
    out.varint(unsigned(type.is_union) | type.is_signed << 1 | type.is_float << 2 |
               type.is_char << 3);
    out.varint(type.fields.size());
    for (const Field &field : type.fields) {
        out.string(field.name);
        out.varint(field.offset);
        out.varint(field.size);
        out.varint(field.type);
        out.varint(field.bit_offset);
        out.varint(field.bit_size);
        out.varint(field.base_class);
    }
}

Type read_type(ByteReader &in) {
    Type type;
    type.kind = in.fixed<TypeKind>();
    type.name = printable(in.string());
    type.size = in.varint();
    type.target = TypeId(in.varint());
    type.count = in.varint();
    uint64_t bits = in.varint();
    type.is_union = bits & 1;
    type.is_signed = bits >> 1 & 1;
    type.is_float = bits >> 2 & 1;
    type.is_char = bits >> 3 & 1;
    type.fields.resize(in.count());
    for (Field &field : type.fields) {
        field.name = printable(in.string());
        field.offset = in.varint();
        field.size = in.varint();
        field.type = TypeId(in.varint());
        field.bit_offset = uint8_t(in.varint());
        field.bit_size = uint8_t(in.varint());
        field.base_class = in.varint();
    }
    return type;
}

} // namespace

bool is_of_library(std::string_view path) {
    static constexpr std::string_view folders[] = {"/usr/include/", "/usr/lib/",
                                                   "/usr/local/include/", "/rustc/", "/rust/deps/"};
    return std::any_of(std::begin(folders), std::end(folders),
                       [&](std::string_view folder) { return path.starts_with(folder); });
}

uint32_t Tables::string(std::string_view text) {
    if (text.empty())
        return 0;
    auto [at, added] = string_ids_.try_emplace(std::string(text), uint32_t(strings.size()));
    if (added)
        strings.emplace_back(text);
    return at->second;
}

std::string_view Tables::write_kind(uint32_t site) const {
    switch (site < sites.size() ? sites[site].kind : SiteKind::store) {
    case SiteKind::copy:
        return "copy";
    case SiteKind::fill:
        return "fill";
    case SiteKind::syscall:
        return "syscall";
    default:
        return "store";
    }
}

void TablesWriter::strings(ByteWriter &out) {
    out.varint(tables_.strings.size() - strings_);
    for (; strings_ < tables_.strings.size(); ++strings_)
        out.string(tables_.strings[strings_]);
}

Bytes TablesWriter::rows() {
    const Tables &t = tables_;
    if (modules_ == t.modules.size() && sites_ == t.sites.size() && stacks_ == t.stacks.size() &&
        calls_ == t.calls.size() && strings_ == t.strings.size())
        return {};
    ByteWriter out;
    strings(out);
    out.varint(t.modules.size() - modules_);
    for (; modules_ < t.modules.size(); ++modules_) {
        const ModuleRow &row = t.modules[modules_];
        out.varint(row.path);
        out.varint(row.build_id);
        out.varint(row.bias);
        out.varint(row.own);
    }
    out.varint(t.sites.size() - sites_);
    for (; sites_ < t.sites.size(); ++sites_) {
        const SiteRow &row = t.sites[sites_];
        write(out, row.instruction);
        write(out, row.statement);
        out.varint(uint64_t(row.kind) | row.own << 4);
        out.varint(row.size);
    }
    out.varint(t.stacks.size() - stacks_);
    for (; stacks_ < t.stacks.size(); ++stacks_) {
        out.varint(t.stacks[stacks_].parent);
        out.varint(t.stacks[stacks_].site);
    }
    out.varint(t.calls.size() - calls_);
    for (; calls_ < t.calls.size(); ++calls_) {
        out.varint(t.calls[calls_].site);
        write(out, t.calls[calls_].target);
        out.varint(t.calls[calls_].own);
    }
    return packed(out);
}

void TablesReader::strings(ByteReader &in) {
    size_t count = in.count();
    for (size_t i = 0; i < count; ++i)
        tables_.strings.push_back(printable(in.string()));
}

void TablesReader::rows(ByteSpan payload) {
    Bytes plain = unpacked(payload);
    ByteReader in(plain);
    strings(in);
    for (size_t n = in.count(); n; --n) {
        ModuleRow row;
        row.path = uint32_t(in.varint());
        row.build_id = uint32_t(in.varint());
        row.bias = in.varint();
        row.own = in.varint();
        tables_.modules.push_back(row);
    }
    for (size_t n = in.count(); n; --n) {
        SiteRow row;
        row.instruction = read_address(in);
        row.statement = read_address(in);
        uint64_t bits = in.varint();
        row.kind = SiteKind(bits & 15);
        row.own = bits >> 4;
        row.size = uint8_t(in.varint());
        tables_.sites.push_back(row);
    }
    for (size_t n = in.count(); n; --n) {
        StackRow row;
        row.parent = uint32_t(in.varint());
        row.site = uint32_t(in.varint());
        if (row.parent >= tables_.stacks.size())
            throw FormatError("damaged stack table");
        tables_.stacks.push_back(row);
    }
    for (size_t n = in.count(); n; --n) {
        CallRow row;
        row.site = uint32_t(in.varint());
        row.target = read_address(in);
        row.own = in.varint();
        tables_.calls.push_back(row);
    }
}

Bytes TablesWriter::symbols() {
    const Tables &t = tables_;
    stack_types_.resize(t.stack_types.size());
    std::vector<uint32_t> typed;
    for (uint32_t i = 1; i < t.stack_types.size(); ++i)
        if (t.stack_types[i] != stack_types_[i])
            typed.push_back(i);
    if (places_ == t.places.size() && functions_ == t.functions.size() &&
        types_ == t.types.size() && typed.empty() && completed_ == t.completed_types.size())
        return {};
    ByteWriter out;
    strings(out);
    out.varint(t.places.size() - places_);
    for (; places_ < t.places.size(); ++places_) {
        out.varint(t.instruction_functions[places_]);
        out.varint(t.places[places_].size());
        for (const PlaceRow &place : t.places[places_])
            write(out, place);
    }
    out.varint(t.functions.size() - functions_);
    for (; functions_ < t.functions.size(); ++functions_)
        write(out, t.functions[functions_]);
    out.varint(t.types.size() - types_);
    for (; types_ < t.types.size(); ++types_)
        write(out, t.types[types_]);
    out.varint(typed.size());
    for (uint32_t stack : typed) {
        out.varint(stack);
        out.varint(t.stack_types[stack]);
    }
    stack_types_ = t.stack_types;
    out.varint(t.completed_types.size() - completed_);
    for (; completed_ < t.completed_types.size(); ++completed_) {
        out.varint(t.completed_types[completed_]);
        write(out, t.types[t.completed_types[completed_]]);
    }
    return packed(out);
}

void TablesReader::symbols(ByteSpan payload) {
    Bytes plain = unpacked(payload);
    ByteReader in(plain);
    strings(in);
    for (size_t n = in.count(); n; --n) {
        tables_.instruction_functions.push_back(uint32_t(in.varint()));
        auto &places = tables_.places.emplace_back(in.count());
        for (PlaceRow &place : places)
            place = read_place(in);
    }
    for (size_t n = in.count(); n; --n)
        tables_.functions.push_back(read_place(in));
    for (size_t n = in.count(); n; --n)
        tables_.types.push_back(read_type(in));
    tables_.stack_types.resize(tables_.stacks.size());
    for (size_t n = in.count(); n; --n) {
        uint64_t stack = in.varint();
        TypeId type = TypeId(in.varint());
        if (stack < tables_.stack_types.size())
            tables_.stack_types[stack] = type;
    }
    for (size_t n = in.left() ? in.count() : 0; n; --n) { // an older trace ends here
        uint64_t id = in.varint();
        Type type = read_type(in);
        if (id < tables_.types.size())
            tables_.types[id] = std::move(type);
    }
}

Bytes encode_source(const SourceText &source) {
    ByteWriter out;
    out.string(source.path);
    out.string(source.text);
    return packed(out);
}

SourceText decode_source(ByteSpan payload) {
    Bytes plain = unpacked(payload);
    ByteReader in(plain);
    std::string path = printable(in.string());
    return {path, std::string(in.string())};
}

} // namespace heapstory
