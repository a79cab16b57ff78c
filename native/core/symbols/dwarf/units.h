// Which unit, function and inlined scope holds an address. Internal to symbols/.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "symbols/dwarf/dies.h"
#include "symbols/elf/image.h"

#include <deque>
#include <functional>
#include <unordered_map>

namespace heapstory {

struct LineRow {
    uint64_t address = 0;
    uint32_t line = 0;
    uint32_t file = 0;         // index into CompileUnit::files
    bool end_sequence = false; // no statement from here on
    bool is_statement = false; // one begins here, not only its code
};

// A lexical block or an inlined function within a function. Scopes stand in preorder.
struct Scope {
    Dwarf_Die die;
    std::vector<CodeRange> ranges; // empty: as its parent's
    uint32_t end = 0;              // index behind its last descendant
    bool inlined = false;
};

struct Subprogram {
    Dwarf_Die die;
    std::string name;
    uint64_t entry = 0, size = 0;
    bool named = false, scopes_read = false;
    std::vector<Scope> scopes; // read on first use
};

struct CompileUnit {
    Dwarf_Die die;  // holds the line table and the address ranges
    Dwarf_Die body; // holds the entries: the same, or the unit of the .dwo file
    bool lines_read = false, functions_read = false, nested_read = false;
    std::vector<LineRow> lines; // in order of address
    std::vector<std::string> files;
    struct FunctionRange {
        uint64_t low, high;
        uint32_t index;
    };
    std::vector<FunctionRange> ranges; // of functions, in order of address
    std::deque<Subprogram> functions;  // grows only: others keep pointers
    std::unordered_set<const void *> known_functions;
};

// The units of one Dwarf. Everything is read when it is first asked for: the table of unit ranges
// once, line tables and functions by unit, scopes by function.
class Units {
  public:
    // The name that the symbol tables give to a function's entry; empty if none.
    using SymbolName = std::function<std::string(uint64_t entry)>;
    Units(Dwarf *dwarf, const ElfImage &image, SymbolName symbol_name)
        : dwarf_(dwarf), image_(image), symbol_name_(std::move(symbol_name)) {}

    CompileUnit *at(uint64_t address);
    const LineRow *line_at(CompileUnit &unit, uint64_t address);
    std::vector<Place> begun(uint64_t address); // statements
    Subprogram *function_at(CompileUnit &unit, uint64_t address);
    // From the innermost scope outwards; the function itself is not among them.
    std::vector<Scope *> scopes_at(Subprogram &function, uint64_t address);
    const std::vector<Scope> &scopes_of(Subprogram &function); // all of them, in preorder
    const std::string &name_of(Subprogram &function);

    // The statement and its inlined callers, innermost first; empty if nothing is known.
    std::vector<Place> places(uint64_t address);

    std::deque<CompileUnit> &all();
    std::vector<ElfFile::SourceFolder> source_folders(); // each once
    const ElfImage &image() const { return image_; }
    ScopeNames &names() { return scope_names_; }

  private:
    void read_units();
    void read_functions(CompileUnit &unit, bool nested);
    void add_functions(CompileUnit &unit, Dwarf_Die *parent, bool nested, int depth);
    void read_scopes(Subprogram &function);
    void read_lines(CompileUnit &unit);
    const std::string &name_of_origin(Dwarf_Die *die);
    std::string call_path(CompileUnit &unit, Dwarf_Die *die);

    Dwarf *dwarf_;
    const ElfImage &image_; // of the program itself: its segments say which addresses are real
    SymbolName symbol_name_;
    bool units_read_ = false;
    std::deque<CompileUnit> units_;
    ScopeNames scope_names_;
    struct UnitRange {
        uint64_t low, high;
        uint32_t index;
    };
    std::vector<UnitRange> ranges_;
    std::unordered_map<const void *, std::string> names_; // by entry of the abstract function
};

} // namespace heapstory
