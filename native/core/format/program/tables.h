// What is defined once and named by number ever after: strings, modules, sites, stacks, calls,
// places, types, source text. Written in pieces while recording, gathered again by the reader.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/container/bytes.h"
#include "symbols/symbols.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heapstory {

// Where an address lies: in a module's file, or nowhere (module 0: offset is the address itself).
struct CodeAddress {
    uint32_t module = 0;
    uint64_t offset = 0;
    bool operator==(const CodeAddress &) const = default;
};

struct ModuleRow {
    uint32_t path = 0, build_id = 0; // strings
    uint64_t bias = 0;               // address - offset
    bool own = false;
};

enum class SiteKind : uint8_t { store = 1, call, copy, fill, syscall, other = 7 };

// An instruction together with the statement it counts for: itself in the program's own code,
// otherwise the innermost call by own code that led to it.
struct SiteRow {
    CodeAddress instruction, statement;
    SiteKind kind = SiteKind::other;
    uint8_t size = 0;
    bool own = false; // the instruction is the program's own
};

struct StackRow { // a call stack is its innermost site and the stack of its caller
    uint32_t parent = 0, site = 0;
};

struct CallRow {
    uint32_t site = 0;
    CodeAddress target;
    bool own = false; // the target is the program's own
};

struct PlaceRow {
    uint32_t function = 0, path = 0; // strings
    uint32_t line = 0;
    auto operator<=>(const PlaceRow &) const = default;
};

// Whether a source file is a header of a library, or Rust's: no code of the program itself.
bool is_of_library(std::string_view path);

// Ids start at 1; row 0 of each vector means unknown.
struct Tables {
    std::vector<std::string> strings{""};
    std::vector<ModuleRow> modules{{}};
    std::vector<SiteRow> sites{{}};
    std::vector<StackRow> stacks{{}};
    std::vector<CallRow> calls{{}};

    // Symbols, filled in after the rows above.
    std::vector<std::vector<PlaceRow>> places{{}};  // by site: its statement, innermost first
    std::vector<uint32_t> instruction_functions{0}; // by site: function of the instruction itself
    std::vector<PlaceRow> functions{{}};            // by call: the target's name and first line
    std::vector<TypeId> stack_types{no_type};       // by stack: type of what was allocated
    std::vector<Type> types{{}};
    std::vector<TypeId> completed_types; // that were declarations when they were added

    uint32_t string(std::string_view text);
    const std::string &text(uint32_t id) const {
        return id < strings.size() ? strings[id] : strings[0];
    }
    // The innermost site of a stack, 0 if there is none.
    uint32_t site_of_stack(uint32_t stack) const {
        return stack < stacks.size() ? stacks[stack].site : 0;
    }
    // What kind of write a site does: store, copy, fill or syscall.
    std::string_view write_kind(uint32_t site) const;

  private:
    friend class TablesWriter;
    friend class TablesReader;
    std::unordered_map<std::string, uint32_t> string_ids_;
};

// Remembers what has been written; each call returns a payload with the rest, empty if none.
class TablesWriter {
  public:
    explicit TablesWriter(const Tables &tables) : tables_(tables) {}
    Bytes rows();    // ChunkKind::tables
    Bytes symbols(); // ChunkKind::symbols; also brings strings

  private:
    void strings(ByteWriter &out);
    const Tables &tables_;
    size_t strings_ = 1, modules_ = 1, sites_ = 1, stacks_ = 1, calls_ = 1;
    size_t places_ = 1, functions_ = 1, types_ = 1;
    size_t completed_ = 0;
    std::vector<TypeId> stack_types_;
};

class TablesReader {
  public:
    explicit TablesReader(Tables &tables) : tables_(tables) {}
    void rows(ByteSpan payload);
    void symbols(ByteSpan payload);

  private:
    void strings(ByteReader &in);
    Tables &tables_;
};

// ChunkKind::source
struct SourceText {
    std::string path, text;
};
Bytes encode_source(const SourceText &source);
SourceText decode_source(ByteSpan payload);

} // namespace heapstory
