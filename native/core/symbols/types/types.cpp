// Types from DWARF into the shared table.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/types/types.h"

#include <algorithm>

namespace heapstory {

namespace {

constexpr int max_depth = 32;

// A member's offset: a constant, or an expression that adds one.
std::optional<uint64_t> member_offset(Dwarf_Die *die) {
    Dwarf_Attribute memory;
    Dwarf_Attribute *attr = dwarf_attr(die, DW_AT_data_member_location, &memory);
    if (!attr)
        return 0;
    Dwarf_Word value = 0;
    if (dwarf_formudata(attr, &value) == 0)
        return value;
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (dwarf_getlocation(attr, &ops, &count) == 0 && count == 1 &&
        ops[0].atom == DW_OP_plus_uconst)
        return ops[0].number;
    return {}; // virtual bases: known only at run time
}

// Bit fields, whichever way they are recorded, as bits from the start of the record.
void set_bits(Dwarf_Die *die, Field &field) {
    uint64_t bits = own_number(die, DW_AT_bit_size).value_or(0);
    if (bits == 0 || bits > 255)
        return;
    uint64_t position = 0;
    if (auto start = own_number(die, DW_AT_data_bit_offset)) {
        position = *start;
    } else {
        uint64_t storage = own_number(die, DW_AT_byte_size).value_or(field.size) * 8;
        uint64_t from_top = own_number(die, DW_AT_bit_offset).value_or(0);
        position = field.offset * 8 + storage - from_top - bits;
    }
    uint64_t unit = std::max<uint64_t>(field.size, 1) * 8;
    if (position / unit != (position + bits - 1) / unit) { // crosses its unit: packed
        unit = 8;
        field.size = (position % 8 + bits + 7) / 8;
    }
    field.offset = position / unit * (unit / 8);
    field.bit_offset = static_cast<uint8_t>(position % unit);
    field.bit_size = static_cast<uint8_t>(bits);
}

} // namespace

TypeId TypeReader::convert(Dwarf_Die die) {
    TypeId id = make_nested(die, 0);
    fill_records();
    return id;
}

TypeId TypeReader::type_of(Dwarf_Die *entry) {
    Dwarf_Attribute memory;
    Dwarf_Die type;
    if (!dwarf_formref_die(attribute(entry, DW_AT_type, &memory), &type))
        return no_type;
    return convert(type);
}

TypeId TypeReader::make_nested(Dwarf_Die die, int depth) {
    if (auto known = ids_.find(die.addr); known != ids_.end())
        return known->second;
    auto stripped = strip(die);
    if (!stripped || depth > max_depth)
        return no_type;
    TypeId id = make(*stripped, depth);
    ids_.emplace(die.addr, id);
    return id;
}

TypeId TypeReader::make(const Stripped &stripped, int depth) {
    Dwarf_Die die = stripped.die;
    switch (dwarf_tag(&die)) {
    case DW_TAG_base_type:
        return make_base(die);
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        return make_pointer(die, depth);
    case DW_TAG_array_type:
        return make_array(die, depth);
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type:
        return make_record(stripped);
    default:
        break;
    }
    Type type;
    type.kind = dwarf_tag(&die) == DW_TAG_enumeration_type  ? TypeKind::enumeration
                : dwarf_tag(&die) == DW_TAG_subroutine_type ? TypeKind::function
                                                            : TypeKind::other;
    type.name = type.kind == TypeKind::enumeration ? record_name(stripped) : name_of(die);
    type.size = size_of(die);
    return table_.insert(type, table_.key_of(type));
}

TypeId TypeReader::make_base(Dwarf_Die die) {
    Type type;
    type.kind = TypeKind::base;
    type.name = name_of(die);
    type.size = size_of(die);
    uint64_t encoding = own_number(&die, DW_AT_encoding).value_or(0);
    type.is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    type.is_char = encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char ||
                   encoding == DW_ATE_UTF || encoding == DW_ATE_ASCII;
    type.is_float = encoding == DW_ATE_float || encoding == DW_ATE_complex_float;
    std::string key = table_.key_of(type) + std::to_string(encoding);
    return table_.insert(std::move(type), key);
}

TypeId TypeReader::make_pointer(Dwarf_Die die, int depth) {
    Type type;
    type.kind = TypeKind::pointer;
    type.name = name_of(die);
    type.size = size_of(die);
    if (auto target = reference(&die, DW_AT_type))
        type.target = make_nested(*target, depth + 1);
    return table_.insert(type, table_.key_of(type));
}

TypeId TypeReader::make_array(Dwarf_Die die, int depth) {
    auto element = reference(&die, DW_AT_type);
    TypeId id = element ? make_nested(*element, depth + 1) : no_type;
    uint64_t size = element ? size_of(*element) : 0;
    std::vector<uint64_t> counts = dimensions(&die);
    std::string name = element ? name_of(*element) : "void", suffix;
    for (auto count = counts.rbegin(); count != counts.rend(); ++count) {
        Type type;
        type.kind = TypeKind::array;
        type.target = id;
        type.count = *count;
        type.size = size *= *count;
        suffix = (*count ? "[" + std::to_string(*count) + "]" : "[]") + suffix;
        type.name = count + 1 == counts.rend() ? name_of(die) : name + suffix;
        id = table_.insert(type, table_.key_of(type));
    }
    return id;
}

TypeId TypeReader::make_record(const Stripped &stripped) {
    Dwarf_Die die = stripped.die;
    Type type;
    type.kind = TypeKind::record;
    type.is_union = dwarf_tag(&die) == DW_TAG_union_type;
    type.name = record_name(stripped);
    if (own_flag(&die, DW_AT_declaration)) {
        auto definition = definition_of(&die, type.name);
        if (!definition)
            return table_.declare(std::move(type));
        die = *definition;
        if (auto known = ids_.find(die.addr); known != ids_.end())
            return known->second;
    }
    type.size = own_number(&die, DW_AT_byte_size).value_or(0);
    std::vector<RawField> fields = fields_of(&die);
    bool fresh = false;
    TypeId id = table_.define(type, record_key(type, fields), &fresh);
    ids_.emplace(die.addr, id);
    if (fresh && !fields.empty())
        unfilled_.emplace_back(id, std::move(fields));
    return id;
}

// Records are filled from a list, not by recursion: chains of types can be thousands long.
void TypeReader::fill_records() {
    while (!unfilled_.empty()) {
        auto [id, raw] = std::move(unfilled_.back());
        unfilled_.pop_back();
        std::vector<Field> fields;
        for (RawField &field : raw) {
            if (field.type)
                field.field.type = make_nested(*field.type, 0);
            fields.push_back(std::move(field.field));
        }
        table_.types[id - 1].fields = std::move(fields);
    }
}

std::optional<TypeReader::RawField> TypeReader::read_field(Dwarf_Die *die, bool is_union) {
    if (own_flag(die, DW_AT_external) || own_flag(die, DW_AT_declaration)) // static member
        return {};
    RawField raw;
    raw.type = reference(die, DW_AT_type);
    auto offset =
        is_union ? own_number(die, DW_AT_data_member_location).value_or(0) : member_offset(die);
    if (!offset || !raw.type)
        return {};
    raw.field.base_class = dwarf_tag(die) == DW_TAG_inheritance;
    if (const char *name = dwarf_diename(die))
        raw.field.name = name;
    raw.field.offset = *offset;
    raw.field.size = size_of(*raw.type);
    set_bits(die, raw.field);
    return raw;
}

void TypeReader::add_fields(Dwarf_Die *die, std::vector<RawField> &fields, bool is_union,
                            int depth) {
    for_each_child(die, [&](Dwarf_Die &child) {
        switch (dwarf_tag(&child)) {
        case DW_TAG_member:
        case DW_TAG_inheritance:
            if (auto field = read_field(&child, is_union))
                fields.push_back(std::move(*field));
            break;
        case DW_TAG_variant_part: // Rust enumerations: the variants lie over each other
        case DW_TAG_variant:
            if (depth < 4)
                add_fields(&child, fields, is_union, depth + 1);
            break;
        default:
            break;
        }
        return fields.size() < 100000;
    });
}

std::vector<TypeReader::RawField> TypeReader::fields_of(Dwarf_Die *die) {
    std::vector<RawField> fields;
    add_fields(die, fields, dwarf_tag(die) == DW_TAG_union_type, 0);
    std::stable_sort(fields.begin(), fields.end(), [](const RawField &a, const RawField &b) {
        return std::pair(a.field.offset, a.field.bit_offset) <
               std::pair(b.field.offset, b.field.bit_offset);
    });
    return fields;
}

// The name of a field's type; for anonymous records what they consist of.
std::string TypeReader::label_of(const std::optional<Dwarf_Die> &die) {
    auto stripped = die ? strip(*die) : std::nullopt;
    if (!stripped)
        return "void";
    int tag = dwarf_tag(&stripped->die);
    bool record =
        tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
    if (!record || stripped->alias || dwarf_diename(&stripped->die))
        return name_of(*die);
    auto [entry, fresh] = labels_.try_emplace(stripped->die.addr, "{recursive}");
    if (!fresh)
        return entry->second;
    Type type;
    type.kind = TypeKind::record;
    type.name = record_name(*stripped);
    type.size = size_of(*die);
    std::string label = record_key(type, fields_of(&stripped->die));
    return labels_[stripped->die.addr] = "{" + label + "}";
}

std::string TypeReader::record_key(const Type &type, const std::vector<RawField> &fields) {
    std::string key = table_.key_of(type);
    for (const auto &[f, die] : fields)
        key += f.name + ':' + std::to_string(f.offset) + ':' + std::to_string(f.bit_offset) + ':' +
               std::to_string(f.bit_size) + ':' + label_of(die) + ';';
    return key;
}

std::optional<TypeId> TypeReader::pointee_at(TypeId type, uint64_t offset) const {
    int steps = 10000; // a damaged record may hold itself
    return pointee_within(type, offset, 0, steps);
}

std::optional<TypeId> TypeReader::pointee_within(TypeId id, uint64_t offset, int depth,
                                                 int &steps) const {
    if (id == no_type || depth > max_depth || --steps < 0)
        return {};
    const Type &type = (*this)[id];
    if (type.kind == TypeKind::pointer)
        return offset == 0 ? std::optional(type.target) : std::nullopt;
    if (type.kind == TypeKind::array) {
        uint64_t element = type.target ? (*this)[type.target].size : 0;
        if (element == 0 || (type.size && offset >= type.size))
            return {};
        return pointee_within(type.target, offset % element, depth + 1, steps);
    }
    std::optional<TypeId> found;
    for (const Field &field : type.fields) {
        bool open = field.size == 0 && field.offset <= offset; // flexible array
        if (!open && offset - field.offset >= field.size)
            continue;
        auto inner = pointee_within(field.type, offset - field.offset, depth + 1, steps);
        if (inner && found && *inner != *found)
            return {};
        if (inner)
            found = inner;
    }
    return found;
}

} // namespace heapstory
