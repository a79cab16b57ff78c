// Names, lines, variables and types of one ELF file, read with libdw.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// All addresses here are the file's own virtual addresses (load bias already subtracted).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heapstory {

// A source statement. Empty strings and line 0 mean unknown.
struct Place {
    std::string function; // demangled
    std::string path;     // as recorded by the compiler, made absolute with its directory
    uint32_t line = 0;
};

using TypeId = uint32_t;
constexpr TypeId no_type = 0;

enum class TypeKind : uint8_t { base = 1, pointer, record, array, enumeration, function, other };

struct Field {
    std::string name; // empty for anonymous members
    uint64_t offset = 0;
    uint64_t size = 0;
    TypeId type = no_type;
    uint8_t bit_offset = 0, bit_size = 0; // bit_size 0: no bit field
    bool base_class = false;
    bool operator==(const Field &) const = default;
};

struct Type {
    TypeKind kind = TypeKind::other;
    std::string name; // as the language writes it: "struct node", "std::list<int>", "char *"
    uint64_t size = 0;
    TypeId target = no_type; // pointer: what it points to; array: element
    uint64_t count = 0;      // array: number of elements, 0 if unknown
    bool is_union = false;
    bool is_signed = false, is_float = false, is_char = false; // base types
    std::vector<Field> fields;                                 // records, in order of offset
    bool operator==(const Type &) const = default;
};

// Types of all modules of a trace; equal types of different units or modules share one id.
// typedefs and cv-qualifiers are seen through; declarations are replaced by definitions found in
// any module.
class TypeTable {
  public:
    TypeTable();
    ~TypeTable();
    const Type &operator[](TypeId id) const;
    size_t size() const; // ids are 1 .. size()
    TypeId add(Type type);
    TypeId find(std::string_view name) const;

  private:
    friend class TypeReader;
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

struct Variable {
    std::string name;
    uint64_t address = 0, size = 0;
    TypeId type = no_type;
};

struct Segment { // PT_LOAD
    uint64_t offset = 0, address = 0, file_size = 0, memory_size = 0;
    bool writable = false, executable = false;
};

struct CodeRange {
    uint64_t low = 0, high = 0;
};

// Where a variable is: in a register, or in memory at an offset from a register, the canonical
// frame address or nothing (an absolute address).
struct VariableLocation {
    enum class Kind : uint8_t { reg, memory, frame, fixed } kind = Kind::reg;
    int reg = 0; // DWARF number
    int64_t offset = 0;
    uint64_t piece = 0, size = 0; // offset within the variable, and bytes; 0: all of it
};

// The locations of a variable that hold from start up to end; pieces of it where it is split.
struct LocationRange {
    uint64_t start = 0, end = 0;
    bool everywhere = false; // as long as the variable is in scope
    std::vector<VariableLocation> locations;
};

// A variable or parameter of a function.
struct LocalVariable {
    std::string name;
    uint64_t size = 0;
    TypeId type = no_type;
    std::vector<CodeRange> scope;         // empty: all of the function
    std::vector<LocationRange> locations; // where there are none it was optimised away
};

// The canonical frame address is register + offset.
struct FrameAddress {
    int reg = 0;
    int64_t offset = 0;
    bool operator==(const FrameAddress &) const = default;
};

// Where a value returned by a call goes first (see HSW_RECEIVER in heapstory_wire.h).
struct Receiver {
    enum class Kind : uint8_t { memory = 1, register_ = 2, global = 3 } kind;
    uint8_t reg = 0;      // DWARF register number
    int64_t offset = 0;   // memory: offset from reg
    uint64_t address = 0; // global: address in the file
};

class ElfFile {
  public:
    // Opens the file and keeps it open (it may be deleted or rebuilt later). Debug information is
    // read on first use: from the file itself, or from a separate file found by build-id or
    // .gnu_debuglink (with .gnu_debugaltlink). Throws std::runtime_error if it is no ELF file.
    static std::unique_ptr<ElfFile> open(const std::string &path, TypeTable &types);
    virtual ~ElfFile() = default;

    virtual std::string build_id() const = 0; // hex, empty if none
    virtual std::vector<Segment> segments() const = 0;
    virtual bool has_debug_info() = 0;

    // The statement at an instruction and, where it was inlined, those of its callers: innermost
    // first. Without line information: one Place with the nearest function symbol, or none.
    virtual std::vector<Place> places(uint64_t address) = 0;

    // The statements that begin with this very instruction, by the line table: several where
    // optimisation left nothing else of them. Without functions.
    virtual std::vector<Place> begun(uint64_t address) = 0;

    // Variables and parameters of the function that holds an address, and of those inlined into it:
    // where scopes contain each other, the inner ones come first.
    virtual std::vector<LocalVariable> locals(uint64_t address) = 0;

    virtual std::optional<FrameAddress> frame_address(uint64_t address) = 0;

    // Up to `count` bytes of the file as it is mapped.
    virtual std::vector<uint8_t> bytes(uint64_t address, uint64_t count) = 0;

    // Entry address and name of the function that holds an address.
    struct Function {
        std::string name;
        uint64_t address = 0, size = 0;
    };
    virtual std::optional<Function> function(uint64_t address) = 0;

    // Objects in writable segments, in order of address, from DWARF and from the symbol tables.
    virtual std::vector<Variable> variables() = 0;

    // The type of what is pointed to by the variable that receives a returned pointer: the
    // innermost variable in scope at `return_address` (or a few instructions on) whose location is
    // the receiver's; for MEMORY receivers that are no local variable: a member of a record that a
    // variable in that register points to. no_type if it cannot be told.
    virtual TypeId pointee_of_receiver(uint64_t return_address, const Receiver &receiver) = 0;

    // Whether the function at an address may be a wrapper of an allocation function, which hands on
    // memory of any type: what a function returns that gives a pointer to a record, or a number,
    // is something else.
    virtual bool may_hand_on(uint64_t address) = 0;

    // The folders in which its units were compiled, and those of the files that were compiled.
    struct SourceFolder {
        std::string built_in, source; // empty: unknown
        bool operator==(const SourceFolder &) const = default;
    };
    virtual std::vector<SourceFolder> source_folders() = 0;
};

} // namespace heapstory
