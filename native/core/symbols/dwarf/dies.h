// Small helpers for libdw's debugging information entries. Internal to symbols/.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "symbols/elf/image.h"

#include <cstdint>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace heapstory {

// The attribute of the entry itself or of the one it refers to (abstract origin, specification).
inline Dwarf_Attribute *attribute(Dwarf_Die *die, unsigned name, Dwarf_Attribute *memory) {
    return dwarf_attr_integrate(die, name, memory);
}

inline bool own_flag(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute memory;
    bool value = false;
    return dwarf_formflag(dwarf_attr(die, name, &memory), &value) == 0 && value;
}

inline std::optional<uint64_t> own_number(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute memory;
    Dwarf_Word value = 0;
    if (dwarf_formudata(dwarf_attr(die, name, &memory), &value) != 0)
        return {};
    return value;
}

inline std::optional<Dwarf_Die> reference(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute memory;
    Dwarf_Die target;
    if (!dwarf_formref_die(dwarf_attr(die, name, &memory), &target))
        return {};
    return target;
}

inline const char *own_string(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute memory;
    return dwarf_formstring(dwarf_attr(die, name, &memory));
}

// Calls visit(Dwarf_Die &) for each child until it returns false. A damaged file cannot make this
// loop: every entry must lie behind the one before.
template <typename Visit> void for_each_child(Dwarf_Die *die, Visit visit) {
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0)
        return;
    for (;;) {
        const void *previous = child.addr;
        if (!visit(child))
            return;
        Dwarf_Die next;
        if (dwarf_siblingof(&child, &next) != 0 || next.addr <= previous)
            return;
        child = next;
    }
}

// Address ranges of an entry; none if it has no code.
std::vector<CodeRange> ranges_of(Dwarf_Die *die);

bool is_cplusplus(int language); // of DW_LANG_*
bool is_c(int language);

// The name that enclosing namespaces, classes and functions give to an entry: "ns::list<int>::".
// One pass over a unit's declarations when the unit is first asked for; C units need none.
class ScopeNames {
  public:
    // DW_AT_name with the enclosing scopes before it.
    std::string qualified_name(Dwarf_Die *die);
    // The demangled linkage name of a function, or its qualified name.
    std::string function_name(Dwarf_Die *die);
    // A C++ function without a linkage name (gcc's lambdas): DW_AT_name says too little.
    bool lacks_linkage_name(Dwarf_Die *die);
    // DW_LANG_* of the entry's unit. The partial units that dwz makes have none: they get the
    // language of the first unit that has one.
    int language(Dwarf_Die *die);
    int default_language = 0;

  private:
    void read(Dwarf_Die *parent, uint32_t prefix, int depth);

    std::unordered_set<const void *> units_;
    std::unordered_map<const void *, uint32_t> prefix_of_; // by entry; none: no prefix
    std::vector<std::string> prefixes_{""};
};

} // namespace heapstory
