// Global and static variables. Internal to symbols/.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "symbols/elf/symtab.h"
#include "symbols/types/types.h"

namespace heapstory {

class VariableReader {
  public:
    VariableReader(Units &units, TypeReader &types) : units_(units), types_(types) {}
    void read(const std::vector<Symbol> &symbols); // object symbols of the file
    std::vector<Variable> take();                  // in order of address, one per address
    // The type of a variable that is defined elsewhere (stdout copied into the program).
    TypeId declared_type(const std::string &name);

  private:
    void read_scope(Dwarf_Die *parent, Dwarf_Die *function, int depth);
    void add(Dwarf_Die *die, Dwarf_Die *function);
    void settle();
    bool knows(uint64_t address) const;

    Units &units_;
    TypeReader &types_;
    bool locals_ = false;
    std::vector<Variable> found_;
    std::unordered_map<std::string, Dwarf_Die> declared_;
};

// Adds the objects that only the symbol tables know, and sizes that DWARF does not tell.
std::vector<Variable> merge_symbols(std::vector<Variable> variables,
                                    const std::vector<Symbol> &symbols, VariableReader *reader);

} // namespace heapstory
