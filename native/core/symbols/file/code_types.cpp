// What code says of types, put together from the parts: stores, results, allocators, vtables.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/code_types.h"

#include "symbols/elf/demangle.h"
#include "symbols/file/elf_file.h"

#include <algorithm>
#include <string_view>

namespace heapstory {

namespace {

// The argument of a generic function or class for its parameter `name`.
std::optional<Dwarf_Die> template_argument(Dwarf_Die *die, std::string_view name) {
    std::optional<Dwarf_Die> found;
    for_each_child(die, [&](Dwarf_Die &child) {
        const char *own = dwarf_diename(&child);
        if (dwarf_tag(&child) == DW_TAG_template_type_parameter && own && own == name)
            found = reference(&child, DW_AT_type);
        return !found;
    });
    return found;
}

bool is_rust_allocator(const std::string &function) {
    return function.starts_with("alloc::boxed::") || function.starts_with("alloc::raw_vec::");
}

// What one function, inlined or not, allocates if it is an allocator's.
TypeId allocated_by(Units &units, TypeReader &types, Dwarf_Die die) {
    if (auto origin = reference(&die, DW_AT_abstract_origin))
        die = *origin;
    const int language = units.names().language(&die);
    if (is_cplusplus(language)) {
        const char *name = dwarf_diename(&die);
        if (!name || std::string_view(name) != "allocate")
            return no_type;
        return types.pointee_at(types.type_of(&die), 0).value_or(no_type);
    }
    if (language != DW_LANG_Rust || !is_rust_allocator(units.names().function_name(&die)))
        return no_type;
    auto argument = template_argument(&die, "T");
    return argument ? types.convert(*argument) : no_type;
}

// Where a damaged file throws, nothing is known.
template <typename Result, typename Action> Result guarded(Action action) {
    try {
        return action();
    } catch (const std::exception &) {
        return {};
    }
}

} // namespace

StoredTypes ElfFileReader::types_of_store(uint64_t instruction) {
    return guarded<StoredTypes>(
        [&] { return readable() ? receiver_finder().stored_by(instruction) : StoredTypes(); });
}

TypeId ElfFileReader::type_of_result(uint64_t return_address) {
    return guarded<TypeId>([&] {
        return readable() ? receiver_finder().find(return_address, std::nullopt) : no_type;
    });
}

TypeId ElfFileReader::type_of_allocator(uint64_t call) {
    return guarded<TypeId>([&] {
        CompileUnit *unit = readable() ? units_->at(call) : nullptr;
        Subprogram *function = unit ? units_->function_at(*unit, call) : nullptr;
        if (!function)
            return no_type;
        types_->resolve_declarations();
        for (Scope *scope : units_->scopes_at(*function, call))
            if (scope->inlined)
                if (TypeId type = allocated_by(*units_, *types_, scope->die))
                    return type;
        return allocated_by(*units_, *types_, function->die);
    });
}

TypeId ElfFileReader::type_of_vtable(uint64_t address) {
    return guarded<TypeId>([&] {
        const std::vector<Symbol> &objects = symbols().objects();
        auto next = std::upper_bound(objects.begin(), objects.end(), address,
                                     [](uint64_t at, const Symbol &s) { return at < s.address; });
        if (next == objects.begin() || !readable())
            return no_type;
        const Symbol &symbol = *--next;
        if (address - symbol.address >= symbol.size || !symbol.name.starts_with("_ZTV"))
            return no_type;
        constexpr std::string_view prefix = "vtable for ";
        std::string name = demangle(symbol.name.c_str());
        return name.starts_with(prefix) ? types_->defined(name.substr(prefix.size())) : no_type;
    });
}

// ElfFile::open makes no others.
StoredTypes types_of_store(ElfFile &file, uint64_t instruction) {
    return static_cast<ElfFileReader &>(file).types_of_store(instruction);
}

TypeId type_of_result(ElfFile &file, uint64_t return_address) {
    return static_cast<ElfFileReader &>(file).type_of_result(return_address);
}

TypeId type_of_allocator(ElfFile &file, uint64_t call) {
    return static_cast<ElfFileReader &>(file).type_of_allocator(call);
}

TypeId type_of_vtable(ElfFile &file, uint64_t address) {
    return static_cast<ElfFileReader &>(file).type_of_vtable(address);
}

} // namespace heapstory
