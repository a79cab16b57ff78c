// Names and ranges of debugging information entries.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "dies.h"

#include "demangle.h"

#include <cstdlib>
#include <cstring>
#include <memory>

namespace heapstory {

std::vector<Range> ranges_of(Dwarf_Die *die) {
    std::vector<Range> ranges;
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

int language(Dwarf_Die *die) {
    Dwarf_Die unit;
    if (!dwarf_diecu(die, &unit, nullptr, nullptr))
        return 0;
    return dwarf_srclang(&unit);
}

bool is_cplusplus(int language) {
    return language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
           language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14;
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

std::string qualified_name(Dwarf_Die *die) {
    Dwarf_Die declaration = declared_at(*die);
    const char *name = dwarf_diename(die);
    std::string text = name ? name : "";
    Dwarf_Die *scopes = nullptr;
    int count = dwarf_getscopes_die(&declaration, &scopes);
    std::unique_ptr<Dwarf_Die, decltype(&std::free)> owner(scopes, &std::free);
    for (int i = 1; i < count; ++i) {
        const char *scope = dwarf_diename(&scopes[i]);
        switch (dwarf_tag(&scopes[i])) {
        case DW_TAG_namespace:
            text = std::string(scope ? scope : "(anonymous namespace)") + "::" + text;
            break;
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
        case DW_TAG_enumeration_type:
        case DW_TAG_subprogram:
        case DW_TAG_module:
            if (scope)
                text = std::string(scope) + "::" + text;
            break;
        default:
            break;
        }
    }
    return text;
}

std::string function_name(Dwarf_Die *die) {
    Dwarf_Attribute memory;
    const char *linkage = nullptr;
    for (unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
        if (!linkage)
            linkage = dwarf_formstring(attribute(die, name, &memory));
    if (linkage && std::strncmp(linkage, "_R", 2) != 0) {
        std::string text = demangle(linkage);
        if (text != linkage || !is_cplusplus(language(die)))
            return text;
    }
    std::string text = qualified_name(die);
    return text.empty() && linkage ? linkage : text;
}

} // namespace heapstory
