// The files mapped into the program, and what is known of their code, data and types.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/program/tables.h"
#include "symbols/code_types.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace heapstory {

struct Mapped { // part of a file, as the program sees it
    uint64_t address = 0, length = 0, file_offset = 0;
    bool writable = false, executable = false, own = false;
};

class Modules {
  public:
    explicit Modules(Tables &tables) : tables_(tables) {}

    void map(const Mapped &mapped, const std::string &path);
    void unmap(uint64_t address, uint64_t length);

    CodeAddress locate(uint64_t address) const;
    bool is_own(uint32_t module) const { return module && tables_.modules[module].own; }

    // Whether the function at an address comes from a header of a system's library, or from Rust's:
    // what it does counts for its caller, whatever module it was compiled into.
    bool is_of_header(uint64_t address);

    // Variables that begin in a range of module data (own modules with symbols only).
    std::vector<Variable> variables(uint64_t address, uint64_t length);
    // What to call a range of module data that no variable names: "libc.so.6".
    std::string name_of(uint64_t address) const;

    // Where the sources of a module were, as its debug information has it.
    std::vector<ElfFile::SourceFolder> source_folders(uint32_t module) const {
        return loaded_[module] ? loaded_[module]->source_folders()
                               : std::vector<ElfFile::SourceFolder>();
    }

    void receiver(uint64_t return_address, uint64_t value);

    // Null where it cannot be read.
    ElfFile *file(uint32_t module) const { return loaded_[module].get(); }
    // The statement at an address, and its inlined callers.
    std::vector<PlaceRow> places(const CodeAddress &address);

    // Names of code at this address will be asked for.
    void expect(uint64_t address);
    // Looks up places and functions for all rows that have none yet.
    void resolve();
    // The same, and gets ready for what is expected: reading debug information takes a while.
    void resolve_ahead();
    // Looks for the types of new stacks, and once more for those of the last call: receivers become
    // known late.
    void resolve_new_types();
    // Looks for the types of all stacks once more.
    void resolve_types();
    // Types that were found since are told to the tables.
    void add_types();
    TypeTable &types() { return types_; }

    // The innermost call sites of a stack that may say what type was allocated: those of functions
    // that hand on memory of any type, and of the first one that does not.
    std::vector<uint32_t> frames_of_type(uint32_t stack);
    // What they are assigned to as far as the code shows, whether or not a receiver was seen.
    TypeId type_of_results(uint32_t stack);
    // What an allocator among them allocates (see code_types.h).
    TypeId type_of_allocator(uint32_t stack);

  private:
    struct Mapping {
        uint64_t end = 0;
        uint32_t module = 0;
    };
    uint32_t module_of_data(uint64_t address) const;
    uint64_t bias_of(const std::string &path, const ElfFile &file, const Mapped &mapped) const;
    uint32_t module_for(const std::string &path, uint64_t bias, bool own,
                        const std::shared_ptr<ElfFile> &file);
    std::shared_ptr<ElfFile> open(const std::string &path);
    void resolve_site(const SiteRow &site);
    void resolve_call(const CallRow &call);
    TypeId type_of_frame(uint32_t site);
    TypeId type_of_stack(uint32_t stack);
    void resolve_types_from(uint32_t stack);
    bool hands_on(uint32_t site);

    Tables &tables_;
    TypeTable types_;
    std::map<uint64_t, Mapping> mappings_;             // by start
    std::vector<std::shared_ptr<ElfFile>> loaded_{{}}; // by module id; null: not ELF, unreadable
    std::unordered_map<std::string, std::shared_ptr<ElfFile>> files_;
    std::map<std::pair<std::string, uint64_t>, uint32_t> ids_;    // of (path, bias), while mapped
    std::map<std::pair<uint32_t, uint64_t>, uint64_t> receivers_; // by (module, offset)
    std::unordered_map<uint64_t, TypeId> frame_types_;            // by call site
    std::unordered_map<uint32_t, bool> hands_on_;                 // by call site
    uint32_t new_stacks_ = 1, last_new_stacks_ = 1;               // the first of them
    std::map<std::pair<uint32_t, uint64_t>, std::vector<PlaceRow>> place_cache_;
    std::vector<CodeAddress> expected_; // the first in each module
    std::vector<bool> is_expected_;     // by module id
};

} // namespace heapstory
