// Objects in writable segments: variables of DWARF merged with those of the symbol tables.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/types/variables.h"

#include "symbols/elf/demangle.h"

#include <algorithm>
#include <tuple>

namespace heapstory {

namespace {

constexpr int max_depth = 64;

// Symbols that compilers and linkers make for themselves.
bool is_linkage(const std::string &name) {
    if (name.compare(0, 7, "DW.ref.") == 0)
        return true;
    for (const char *other :
         {"_DYNAMIC", "_GLOBAL_OFFSET_TABLE_", "__dso_handle", "completed.0",
          "__frame_dummy_init_array_entry", "__do_global_dtors_aux_fini_array_entry"})
        if (name == other)
            return true;
    return false;
}

// Static local variables have symbols like "calls.0" (gcc), "outer.calls" (clang),
// "_ZZ5outeriE5calls".
bool may_be_static_local(const std::string &name) {
    return !is_linkage(name) &&
           (name.find('.') != std::string::npos || name.compare(0, 3, "_ZZ") == 0);
}

} // namespace

// The fixed address of a variable, from DW_OP_addr or an index into .debug_addr.
std::optional<uint64_t> fixed_address(Dwarf_Die *die) {
    Dwarf_Attribute memory;
    Dwarf_Attribute *attr = dwarf_attr(die, DW_AT_location, &memory);
    unsigned form = attr ? dwarf_whatform(attr) : 0;
    if (form != DW_FORM_exprloc && form != DW_FORM_block1 && form != DW_FORM_block &&
        form != DW_FORM_block2 && form != DW_FORM_block4)
        return {};
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (dwarf_getlocation(attr, &ops, &count) != 0 || count == 0 || count > 2)
        return {};
    Dwarf_Addr address = 0;
    if (ops[0].atom == DW_OP_addr) {
        address = ops[0].number;
    } else if (ops[0].atom == DW_OP_addrx || ops[0].atom == DW_OP_GNU_addr_index) {
        Dwarf_Attribute indirect;
        if (dwarf_getlocation_attr(attr, &ops[0], &indirect) != 0 ||
            dwarf_formaddr(&indirect, &address) != 0)
            return {};
    } else {
        return {};
    }
    if (count == 2) {
        if (ops[1].atom != DW_OP_plus_uconst) // thread-local, for one
            return {};
        address += ops[1].number;
    }
    return address;
}

void VariableReader::add(Dwarf_Die *die, Dwarf_Die *function) {
    auto address = fixed_address(die);
    if (!address) {
        if (!function && own_flag(die, DW_AT_declaration))
            if (const char *name = dwarf_diename(die))
                declared_.try_emplace(name, *die);
        return;
    }
    if (!units_.image().writable(*address) || !dwarf_diename(die))
        return;
    Variable variable;
    variable.address = *address;
    variable.name = units_.names().qualified_name(die);
    if (function) {
        std::string scope = units_.names().qualified_name(function);
        variable.name = (scope.empty() ? "?" : scope) + "::" + dwarf_diename(die);
    }
    variable.type = types_.type_of(die);
    if (variable.type != no_type)
        variable.size = types_[variable.type].size;
    found_.push_back(std::move(variable));
}

void VariableReader::read_scope(Dwarf_Die *parent, Dwarf_Die *function, int depth) {
    for_each_child(parent, [&](Dwarf_Die &child) {
        switch (dwarf_tag(&child)) {
        case DW_TAG_variable:
            add(&child, function);
            break;
        case DW_TAG_namespace:
        case DW_TAG_module:
            if (depth < max_depth)
                read_scope(&child, function, depth + 1);
            break;
        case DW_TAG_subprogram:
        case DW_TAG_inlined_subroutine:
            if (locals_ && depth < max_depth)
                read_scope(&child, &child, depth + 1);
            break;
        case DW_TAG_lexical_block:
            if (locals_ && depth < max_depth)
                read_scope(&child, function, depth + 1);
            break;
        default:
            break;
        }
        return true;
    });
}

// Keeps one variable per address: that with a type, then that with the shortest name.
void VariableReader::settle() {
    auto order = [](const Variable &a, const Variable &b) {
        return std::tuple(a.address, a.type == no_type, a.name.size(), std::string_view(a.name)) <
               std::tuple(b.address, b.type == no_type, b.name.size(), std::string_view(b.name));
    };
    std::sort(found_.begin(), found_.end(), order);
    auto same = [](const Variable &a, const Variable &b) { return a.address == b.address; };
    found_.erase(std::unique(found_.begin(), found_.end(), same), found_.end());
}

bool VariableReader::knows(uint64_t address) const {
    auto at =
        std::lower_bound(found_.begin(), found_.end(), address,
                         [](const Variable &v, uint64_t wanted) { return v.address < wanted; });
    return at != found_.end() && at->address == address;
}

void VariableReader::read(const std::vector<Symbol> &symbols) {
    for (CompileUnit &unit : units_.all())
        read_scope(&unit.body, nullptr, 0);
    settle();
    // The insides of functions are read only if some symbol may be a variable there.
    locals_ = symbols.empty();
    for (const Symbol &symbol : symbols)
        locals_ = locals_ || (may_be_static_local(symbol.name) && !knows(symbol.address));
    if (locals_) {
        found_.clear();
        for (CompileUnit &unit : units_.all())
            read_scope(&unit.body, nullptr, 0);
        settle();
    }
}

std::vector<Variable> VariableReader::take() {
    return std::move(found_);
}

TypeId VariableReader::declared_type(const std::string &name) {
    auto found = declared_.find(name);
    return found == declared_.end() ? no_type : types_.type_of(&found->second);
}

std::vector<Variable> merge_symbols(std::vector<Variable> variables,
                                    const std::vector<Symbol> &symbols, VariableReader *reader) {
    std::vector<Variable> merged;
    auto variable = variables.begin();
    for (const Symbol &symbol : symbols) {
        for (; variable != variables.end() && variable->address < symbol.address; ++variable)
            merged.push_back(std::move(*variable));
        if (variable != variables.end() && variable->address == symbol.address) {
            if (variable->size == 0)
                variable->size = symbol.size;
            // clang 14 forgets which function an inlined static belongs to; its symbol knows.
            if (variable->name.compare(0, 3, "?::") == 0) {
                std::string own = variable->name.substr(3);
                size_t dot = symbol.name.find("." + own);
                variable->name = dot == std::string::npos || dot == 0
                                     ? own
                                     : symbol.name.substr(0, dot) + "::" + own;
            }
        } else if (symbol.size != 0 && !is_linkage(symbol.name)) {
            TypeId type = reader ? reader->declared_type(symbol.name) : no_type;
            merged.push_back({demangle(symbol.name.c_str()), symbol.address, symbol.size, type});
        }
    }
    std::move(variable, variables.end(), std::back_inserter(merged));
    std::erase_if(merged, [](const Variable &v) { return v.size == 0; });
    return merged;
}

} // namespace heapstory
