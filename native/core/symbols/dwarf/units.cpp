// Which unit, function and inlined scope holds an address.
//
// .debug_aranges is not used: clang and rustc leave it out, and a table that covers only some
// units gives wrong answers for the others. The ranges of the unit entries are as cheap.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/dwarf/units.h"

#include <algorithm>

namespace heapstory {

namespace {

constexpr int max_depth = 64; // of nested scopes and namespaces; real programs stay far below

// Ranges of one table do not overlap unless the file is damaged or sections were discarded; the
// last one that starts at or before the address decides, then a few before it.
template <typename Entry>
const Entry *entry_at(const std::vector<Entry> &entries, uint64_t address) {
    auto next =
        std::upper_bound(entries.begin(), entries.end(), address,
                         [](uint64_t wanted, const Entry &entry) { return wanted < entry.low; });
    for (int steps = 0; next != entries.begin() && steps < 16; ++steps)
        if (address < (--next)->high)
            return &*next;
    return nullptr;
}

template <typename Entry> void sort_entries(std::vector<Entry> &entries) {
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry &a, const Entry &b) { return a.low < b.low; });
}

bool covers(const std::vector<CodeRange> &ranges, uint64_t address) {
    for (const CodeRange &range : ranges)
        if (address >= range.low && address < range.high)
            return true;
    return false;
}

void add_scopes(Dwarf_Die *parent, std::vector<Scope> &scopes, int depth) {
    for_each_child(parent, [&](Dwarf_Die &child) {
        int tag = dwarf_tag(&child);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block)
            return true;
        size_t index = scopes.size();
        scopes.push_back({child, ranges_of(&child), 0, tag == DW_TAG_inlined_subroutine});
        if (scopes[index].inlined && scopes[index].ranges.empty()) { // optimised away
            scopes.pop_back();
            return true;
        }
        if (depth < max_depth)
            add_scopes(&child, scopes, depth + 1);
        scopes[index].end = static_cast<uint32_t>(scopes.size());
        return true;
    });
}

} // namespace

void Units::read_units() {
    units_read_ = true;
    Dwarf_CU *cu = nullptr;
    Dwarf_Die die, body;
    uint8_t type = 0;
    const void *previous = nullptr;
    while (dwarf_get_units(dwarf_, cu, &cu, nullptr, &type, &die, &body) == 0) {
        if (type == DW_UT_type || type == DW_UT_split_type)
            continue;
        if (previous && die.addr <= previous) // damaged
            break;
        previous = die.addr;
        bool split = type == DW_UT_skeleton && body.addr;
        units_.push_back({});
        CompileUnit &unit = units_.back();
        unit.die = die;
        unit.body = split ? body : die;
        if (int found = dwarf_srclang(&unit.body);
            found > 0 && scope_names_.default_language == 0 && found != DW_LANG_Mips_Assembler)
            scope_names_.default_language = found;
        auto index = static_cast<uint32_t>(units_.size() - 1);
        std::vector<CodeRange> ranges = ranges_of(&die);
        if (ranges.empty() && split)
            ranges = ranges_of(&body);
        if (ranges.empty()) { // some assemblers and old compilers say nothing of the unit
            for_each_child(&unit.body, [&](Dwarf_Die &child) {
                if (dwarf_tag(&child) == DW_TAG_subprogram)
                    for (const CodeRange &range : ranges_of(&child))
                        ranges.push_back(range);
                return true;
            });
        }
        for (const CodeRange &range : ranges)
            if (image_.executable(range.low))
                ranges_.push_back({range.low, range.high, index});
    }
    sort_entries(ranges_);
}

std::deque<CompileUnit> &Units::all() {
    if (!units_read_)
        read_units();
    return units_;
}

CompileUnit *Units::at(uint64_t address) {
    all();
    const UnitRange *range = entry_at(ranges_, address);
    return range ? &units_[range->index] : nullptr;
}

void Units::add_functions(CompileUnit &unit, Dwarf_Die *parent, bool nested, int depth) {
    for_each_child(parent, [&](Dwarf_Die &child) {
        bool descend = false;
        switch (dwarf_tag(&child)) {
        case DW_TAG_subprogram: {
            std::vector<CodeRange> ranges = ranges_of(&child);
            descend = nested;
            if (ranges.empty() || !image_.executable(ranges[0].low) ||
                !unit.known_functions.insert(child.addr).second)
                break;
            auto index = static_cast<uint32_t>(unit.functions.size());
            Dwarf_Addr entry = 0;
            if (dwarf_entrypc(&child, &entry) != 0 || !covers(ranges, entry))
                entry = ranges[0].low;
            unit.functions.push_back({child, {}, entry, 0, false, false, {}});
            for (const CodeRange &range : ranges) {
                unit.ranges.push_back({range.low, range.high, index});
                if (entry >= range.low && entry < range.high)
                    unit.functions.back().size = range.high - entry;
            }
            break;
        }
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
            descend = true;
            break;
        case DW_TAG_lexical_block:
        case DW_TAG_inlined_subroutine:
            descend = nested;
            break;
        default:
            break;
        }
        if (descend && depth < max_depth)
            add_functions(unit, &child, nested, depth + 1);
        return true;
    });
}

// Functions within functions (local classes, GNU C) are looked for only when an address is in none
// of the others: it means to read every scope.
void Units::read_functions(CompileUnit &unit, bool nested) {
    add_functions(unit, &unit.body, nested, 0);
    sort_entries(unit.ranges);
    unit.functions_read = true;
    unit.nested_read = nested;
}

Subprogram *Units::function_at(CompileUnit &unit, uint64_t address) {
    if (!unit.functions_read)
        read_functions(unit, false);
    const CompileUnit::FunctionRange *range = entry_at(unit.ranges, address);
    if (!range && !unit.nested_read) {
        read_functions(unit, true);
        range = entry_at(unit.ranges, address);
    }
    return range ? &unit.functions[range->index] : nullptr;
}

void Units::read_scopes(Subprogram &function) {
    function.scopes_read = true;
    add_scopes(&function.die, function.scopes, 0);
}

const std::vector<Scope> &Units::scopes_of(Subprogram &function) {
    if (!function.scopes_read)
        read_scopes(function);
    return function.scopes;
}

std::vector<Scope *> Units::scopes_at(Subprogram &function, uint64_t address) {
    scopes_of(function);
    std::vector<Scope *> chain;
    size_t end = function.scopes.size();
    for (size_t i = 0; i < end;) {
        Scope &scope = function.scopes[i];
        // A block without ranges is entered in passing: it may hold inlined functions.
        if (scope.ranges.empty()) {
            ++i;
        } else if (covers(scope.ranges, address)) {
            chain.insert(chain.begin(), &scope);
            end = scope.end;
            ++i;
        } else {
            i = scope.end;
        }
    }
    return chain;
}

const std::string &Units::name_of(Subprogram &function) {
    if (!function.named) {
        function.named = true;
        if (scope_names_.lacks_linkage_name(&function.die))
            function.name = symbol_name_(function.entry);
        if (function.name.empty())
            function.name = scope_names_.function_name(&function.die);
    }
    return function.name;
}

const std::string &Units::name_of_origin(Dwarf_Die *die) {
    auto origin = reference(die, DW_AT_abstract_origin);
    Dwarf_Die target = origin ? *origin : *die;
    auto [entry, fresh] = names_.try_emplace(target.addr);
    if (fresh)
        entry->second = scope_names_.function_name(&target);
    return entry->second;
}

std::vector<Place> Units::places(uint64_t address) {
    std::vector<Place> places;
    CompileUnit *unit = at(address);
    if (!unit)
        return places;
    Place place;
    if (const LineRow *row = line_at(*unit, address)) {
        place.line = row->line;
        if (row->file < unit->files.size())
            place.path = unit->files[row->file];
    }
    Subprogram *function = function_at(*unit, address);
    if (function) {
        for (Scope *scope : scopes_at(*function, address)) {
            if (!scope->inlined)
                continue;
            place.function = name_of_origin(&scope->die);
            places.push_back(std::move(place));
            place = {};
            place.path = call_path(*unit, &scope->die);
            place.line =
                static_cast<uint32_t>(own_number(&scope->die, DW_AT_call_line).value_or(0));
        }
        place.function = name_of(*function);
    }
    if (!place.function.empty() || !place.path.empty())
        places.push_back(std::move(place));
    return places;
}

} // namespace heapstory
