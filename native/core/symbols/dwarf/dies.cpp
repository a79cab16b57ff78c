// Names and ranges of debugging information entries.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/dwarf/dies.h"

#include "symbols/elf/demangle.h"

#include <cstring>

namespace heapstory {

std::vector<CodeRange> ranges_of(Dwarf_Die *die) {
    std::vector<CodeRange> ranges;
    Dwarf_Addr base = 0, low = 0, high = 0;
    ptrdiff_t offset = 0;
    while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
        if (low < high)
            ranges.push_back({low, high});
        if (ranges.size() > 1000000)
            break;
    }
    return ranges;
}

int ScopeNames::language(Dwarf_Die *die) {
    Dwarf_Die unit;
    int found = dwarf_diecu(die, &unit, nullptr, nullptr) ? dwarf_srclang(&unit) : -1;
    return found > 0 ? found : default_language;
}

bool is_cplusplus(int language) {
    switch (language) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case 0x2a: // 17, 20, 23: younger than this libdw
    case 0x2b:
    case 0x3a:
        return true;
    default:
        return false;
    }
}

bool is_c(int language) {
    switch (language) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case 0x2c: // C17, C23
    case 0x3e:
    case DW_LANG_Mips_Assembler:
        return true;
    default:
        return false;
    }
}

// The entry that says where a definition belongs: its declaration in the class or namespace.
static Dwarf_Die declared_at(Dwarf_Die die) {
    for (int steps = 0; steps < 8; ++steps) {
        auto next = reference(&die, DW_AT_specification);
        if (!next)
            next = reference(&die, DW_AT_abstract_origin);
        if (!next)
            break;
        die = *next;
    }
    return die;
}

void ScopeNames::read(Dwarf_Die *parent, uint32_t prefix, int depth) {
    for_each_child(parent, [&](Dwarf_Die &child) {
        int tag = dwarf_tag(&child);
        bool scope = false;
        switch (tag) {
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
        case DW_TAG_enumeration_type:
            scope = dwarf_haschildren(&child) > 0;
            [[fallthrough]];
        case DW_TAG_subprogram:
        case DW_TAG_variable:
        case DW_TAG_typedef:
        case DW_TAG_member: // static ones are declared here
            if (prefix != 0 && (tag != DW_TAG_member || own_flag(&child, DW_AT_external)))
                prefix_of_.emplace(child.addr, prefix);
            break;
        default:
            break;
        }
        if (!scope || depth > 32)
            return true;
        const char *name = dwarf_diename(&child);
        if (!name && tag == DW_TAG_namespace)
            name = "(anonymous namespace)";
        uint32_t inner = prefix;
        if (name) {
            inner = static_cast<uint32_t>(prefixes_.size());
            prefixes_.push_back(prefixes_[prefix] + name + "::");
        }
        read(&child, inner, depth + 1);
        return true;
    });
}

std::string ScopeNames::qualified_name(Dwarf_Die *die) {
    const char *name = dwarf_diename(die);
    std::string text = name ? name : "";
    Dwarf_Die declaration = declared_at(*die), unit;
    if (is_c(language(die)) || !dwarf_diecu(&declaration, &unit, nullptr, nullptr))
        return text;
    if (units_.insert(unit.addr).second)
        read(&unit, 0, 0);
    auto found = prefix_of_.find(declaration.addr);
    return found == prefix_of_.end() ? text : prefixes_[found->second] + text;
}

static const char *linkage_name(Dwarf_Die *die) {
    Dwarf_Attribute memory;
    const char *name = dwarf_formstring(attribute(die, DW_AT_linkage_name, &memory));
    return name ? name : dwarf_formstring(attribute(die, DW_AT_MIPS_linkage_name, &memory));
}

bool ScopeNames::lacks_linkage_name(Dwarf_Die *die) {
    return is_cplusplus(language(die)) && !linkage_name(die);
}

std::string ScopeNames::function_name(Dwarf_Die *die) {
    const char *linkage = linkage_name(die);
    if (linkage && std::strncmp(linkage, "_R", 2) != 0) {
        std::string text = demangle(linkage);
        if (text != linkage || !is_cplusplus(language(die)))
            return text;
    }
    std::string text = qualified_name(die);
    return text.empty() && linkage ? linkage : text;
}

} // namespace heapstory
