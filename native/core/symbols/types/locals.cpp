// The variables and parameters of a function.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/types/locals.h"

namespace heapstory {

namespace {

class LocalReader {
  public:
    LocalReader(TypeReader &types, Dwarf_Die *function, uint64_t entry)
        : types_(types), base_(frame_base(function, entry)) {}

    void add(Dwarf_Die *scope, const std::vector<CodeRange> &ranges) {
        for_each_child(scope, [&](Dwarf_Die &child) {
            const int tag = dwarf_tag(&child);
            const char *name = dwarf_diename(&child);
            if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) && name && *name)
                add_variable(&child, name, ranges);
            return true;
        });
    }
    std::vector<LocalVariable> found;

  private:
    void add_variable(Dwarf_Die *die, const char *name, const std::vector<CodeRange> &ranges) {
        LocalVariable &local = found.emplace_back();
        local.name = name;
        local.type = types_.type_of(die);
        local.size = local.type == no_type ? 0 : types_[local.type].size;
        local.scope = ranges;
        local.locations = locations_of(die, base_);
    }

    TypeReader &types_;
    std::optional<VariableLocation> base_;
};

// The code of every scope: that of the one around it, where it says nothing itself.
std::vector<std::vector<CodeRange>> ranges_of_scopes(const std::vector<Scope> &scopes) {
    std::vector<std::vector<CodeRange>> ranges;
    std::vector<size_t> around;
    for (size_t i = 0; i < scopes.size(); ++i) {
        while (!around.empty() && scopes[around.back()].end <= i)
            around.pop_back();
        ranges.push_back(scopes[i].ranges);
        if (ranges[i].empty() && !around.empty())
            ranges[i] = ranges[around.back()];
        around.push_back(i);
    }
    return ranges;
}

} // namespace

std::vector<LocalVariable> locals_of(Units &units, TypeReader &types, uint64_t address) {
    CompileUnit *unit = units.at(address);
    Subprogram *function = unit ? units.function_at(*unit, address) : nullptr;
    if (!function)
        return {};
    LocalReader reader(types, &function->die, function->entry);
    // Scopes stand in preorder: from the end, inner ones come first.
    const std::vector<Scope> &scopes = units.scopes_of(*function);
    const std::vector<std::vector<CodeRange>> ranges = ranges_of_scopes(scopes);
    for (size_t i = scopes.size(); i-- > 0;) {
        Dwarf_Die die = scopes[i].die;
        reader.add(&die, ranges[i]);
    }
    reader.add(&function->die, {});
    return std::move(reader.found);
}

} // namespace heapstory
