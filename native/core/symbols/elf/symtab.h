// Functions and objects of the symbol tables. Internal to symbols/.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "symbols/elf/image.h"

namespace heapstory {

struct Symbol {
    uint64_t address = 0, size = 0;
    std::string name; // as in the table, without the version
    bool global = false;
    uint64_t limit = 0; // of a function without a size: where it must end
};

// Read once, on first use: .symtab of the file or of its debug file, .dynsym and .gnu_debugdata.
class SymbolTables {
  public:
    void read(const ElfImage &image, const ElfImage *debug);

    // The function symbol that covers an address; one without a size covers up to the next.
    const Symbol *function(uint64_t address) const;
    const std::vector<Symbol> &objects() const { return objects_; } // in order of address

  private:
    void add(Elf *elf, Elf_Scn *section, const ElfImage &image);
    void add_all(Elf *elf, const ElfImage &image);
    void add_mini_debug(const ElfImage &image);

    std::vector<Symbol> functions_, objects_;
};

} // namespace heapstory
