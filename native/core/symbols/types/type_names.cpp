// What types are called, how large they are, where they are defined.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/types/types.h"

#include <cstring>

namespace heapstory {

namespace {

constexpr int max_depth = 32; // of pointers to arrays of functions ...; damaged files may loop

bool is_record(int tag) {
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_interface_type;
}

std::string with_declarator(std::string name, const std::string &declarator) {
    if (!declarator.empty() && declarator[0] != '[')
        name += ' ';
    return name + declarator;
}

// gcc and clang write the same type in two ways.
std::string base_name(const char *name) {
    static constexpr struct {
        const char *gcc, *common;
    } names[] = {{"long int", "long"},           {"long unsigned int", "unsigned long"},
                 {"short int", "short"},         {"short unsigned int", "unsigned short"},
                 {"long long int", "long long"}, {"long long unsigned int", "unsigned long long"}};
    for (const auto &[gcc, common] : names)
        if (std::strcmp(gcc, name) == 0)
            return common;
    return name;
}

} // namespace

std::optional<TypeReader::Stripped> TypeReader::strip(Dwarf_Die die) {
    const char *alias = nullptr;
    for (int steps = 0; steps < max_depth; ++steps) {
        switch (dwarf_tag(&die)) {
        case DW_TAG_typedef:
            alias = dwarf_diename(&die);
            break;
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type:
        case DW_TAG_packed_type:
        case DW_TAG_shared_type:
        case DW_TAG_immutable_type:
            break;
        default:
            if (auto unit = reference(&die, DW_AT_signature))
                die = *unit;
            if (dwarf_diename(&die))
                alias = nullptr;
            return Stripped{die, alias};
        }
        auto next = reference(&die, DW_AT_type);
        if (!next)
            return {};
        die = *next;
    }
    return {};
}

std::string TypeReader::record_name(const Stripped &stripped) {
    Dwarf_Die die = stripped.die;
    const char *own = stripped.alias ? stripped.alias : dwarf_diename(&die);
    int tag = dwarf_tag(&die);
    const char *keyword = tag == DW_TAG_union_type         ? "union "
                          : tag == DW_TAG_enumeration_type ? "enum "
                                                           : "struct ";
    if (!own)
        return std::string(keyword) + "{...}";
    if (stripped.alias)
        return own;
    if (is_c(units_.names().language(&die)))
        return std::string(keyword) + own;
    return units_.names().qualified_name(&die);
}

std::string TypeReader::function_declarator(Dwarf_Die *die, int depth) {
    std::string arguments;
    int count = 0;
    for_each_child(die, [&](Dwarf_Die &child) {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_unspecified_parameters)
            arguments += count ? ", ..." : "...";
        if (tag != DW_TAG_formal_parameter)
            return true;
        auto type = reference(&child, DW_AT_type);
        arguments += (count++ ? ", " : "") + (type ? name_of(*type, {}, depth + 1) : "?");
        return count < 64;
    });
    return "(" + arguments + ")";
}

std::string TypeReader::name_of(Dwarf_Die die, std::string declarator, int depth) {
    auto stripped = strip(die);
    if (!stripped)
        return with_declarator("void", declarator);
    // Recursive function types would otherwise take exponential time.
    name_steps_ = depth == 0 ? 0 : name_steps_ + 1;
    if (depth > max_depth || name_steps_ > 1000 || declarator.size() > 4096)
        return "?";
    die = stripped->die;
    int tag = dwarf_tag(&die);
    const char *own = dwarf_diename(&die);
    if (is_record(tag) || tag == DW_TAG_enumeration_type)
        return with_declarator(record_name(*stripped), declarator);
    if (tag == DW_TAG_base_type)
        return with_declarator(own ? base_name(own) : "?", declarator);

    auto target = reference(&die, DW_AT_type);
    auto inner = [&](std::string text) {
        return target ? name_of(*target, std::move(text), depth + 1)
                      : with_declarator("void", text);
    };
    bool prefixed = !declarator.empty() && declarator[0] != '[' && declarator[0] != '(';
    switch (tag) {
    case DW_TAG_pointer_type:
        return own ? with_declarator(own, declarator) : inner("*" + declarator);
    case DW_TAG_reference_type:
        return inner("&" + declarator);
    case DW_TAG_rvalue_reference_type:
        return inner("&&" + declarator);
    case DW_TAG_ptr_to_member_type:
        return inner("::*" + declarator);
    case DW_TAG_array_type: {
        std::string text = prefixed ? "(" + declarator + ")" : declarator;
        for (uint64_t count : dimensions(&die))
            text += count ? "[" + std::to_string(count) + "]" : "[]";
        return inner(text);
    }
    case DW_TAG_subroutine_type:
        return inner((prefixed ? "(" + declarator + ")" : declarator) +
                     function_declarator(&die, depth));
    default:
        return with_declarator(own ? own : "?", declarator);
    }
}

std::vector<uint64_t> TypeReader::dimensions(Dwarf_Die *die) {
    std::vector<uint64_t> counts;
    for_each_child(die, [&](Dwarf_Die &child) {
        if (dwarf_tag(&child) != DW_TAG_subrange_type)
            return true;
        auto count = own_number(&child, DW_AT_count);
        auto upper = own_number(&child, DW_AT_upper_bound);
        if (!count && upper && *upper < UINT32_MAX)
            count = *upper + 1 - own_number(&child, DW_AT_lower_bound).value_or(0);
        counts.push_back(count && *count < (uint64_t(1) << 40) ? *count : 0);
        return counts.size() < 16;
    });
    if (counts.empty())
        counts.push_back(0);
    return counts;
}

uint64_t TypeReader::size_of(Dwarf_Die die, int depth) {
    auto stripped = strip(die);
    if (!stripped || depth > max_depth)
        return 0;
    die = stripped->die;
    if (auto size = own_number(&die, DW_AT_byte_size))
        return *size;
    auto target = reference(&die, DW_AT_type);
    switch (dwarf_tag(&die)) {
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        return 8;
    case DW_TAG_ptr_to_member_type: {
        auto pointed = target ? strip(*target) : std::nullopt;
        return pointed && dwarf_tag(&pointed->die) == DW_TAG_subroutine_type ? 16 : 8;
    }
    case DW_TAG_array_type: {
        uint64_t size = target ? size_of(*target, depth + 1) : 0;
        for (uint64_t count : dimensions(&die))
            size *= count;
        return size;
    }
    case DW_TAG_enumeration_type:
    case DW_TAG_subrange_type:
        return target ? size_of(*target, depth + 1) : 0;
    default:
        break;
    }
    if (is_record(dwarf_tag(&die)) && own_flag(&die, DW_AT_declaration))
        if (auto definition = definition_of(&die, record_name(*stripped)))
            return own_number(&*definition, DW_AT_byte_size).value_or(0);
    return 0;
}

void TypeReader::add_definitions(Dwarf_Die *parent, int depth) {
    for_each_child(parent, [&](Dwarf_Die &child) {
        int tag = dwarf_tag(&child);
        bool record = is_record(tag);
        if (record && !own_flag(&child, DW_AT_declaration) && dwarf_diename(&child)) {
            uint64_t size = own_number(&child, DW_AT_byte_size).value_or(0);
            auto [entry, fresh] =
                definitions_.try_emplace(record_name({child, nullptr}), Definition{child, size});
            if (!fresh && entry->second.size != size)
                entry->second.ambiguous = true;
        }
        if ((record || tag == DW_TAG_namespace || tag == DW_TAG_module) && depth < max_depth)
            add_definitions(&child, depth + 1);
        return true;
    });
}

// One pass over all declarations of the module, when a declaration must be resolved.
void TypeReader::read_definitions() {
    if (definitions_read_)
        return;
    definitions_read_ = true;
    for (CompileUnit &unit : units_.all())
        add_definitions(&unit.body, 0);
}

std::optional<Dwarf_Die> TypeReader::definition_of(Dwarf_Die *, const std::string &name) {
    read_definitions();
    auto found = definitions_.find(name);
    if (found == definitions_.end() || found->second.ambiguous)
        return {};
    return found->second.die;
}

TypeId TypeReader::defined(const std::string &name) {
    auto definition = definition_of(nullptr, name);
    return definition ? convert(*definition) : no_type;
}

void TypeReader::resolve_declarations() {
    if (!definitions_read_ || declarations_seen_ == table_.declarations)
        return;
    declarations_seen_ = table_.declarations;
    std::vector<Dwarf_Die> found;
    for (const auto &[name, id] : table_.incomplete)
        if (auto entry = definitions_.find(name);
            entry != definitions_.end() && !entry->second.ambiguous)
            found.push_back(entry->second.die);
    for (const Dwarf_Die &die : found)
        convert(die);
}

} // namespace heapstory
