// Types from DWARF into the shared table. Internal to symbols/.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "symbols/dwarf/units.h"

namespace heapstory {

// Records are told apart by their name, size and fields as text (names, offsets and the names of
// the fields' types), so that equal types of different units meet before their targets are known,
// and recursive types need no special care.
struct TypeTable::Impl {
    std::deque<Type> types;
    std::unordered_map<std::string, TypeId> by_key;
    std::unordered_map<std::string, TypeId> by_name;     // the first of that name
    std::unordered_map<std::string, TypeId> definitions; // records; no_type: two different ones
    std::unordered_map<std::string, TypeId> incomplete;  // records known by declaration only
    uint32_t declarations = 0;                           // grows with every incomplete type

    TypeId insert(Type type, const std::string &key);
    // The id of a record, to be filled by the caller if it is new.
    TypeId define(Type type, const std::string &key, bool *fresh);
    TypeId declare(Type type);
    std::string key_of(const Type &type) const;
};

class TypeReader {
  public:
    TypeReader(TypeTable &table, Units &units) : table_(*table.impl_), units_(units) {}

    // no_type for void, for a missing or an unreadable type.
    TypeId convert(Dwarf_Die die);
    TypeId type_of(Dwarf_Die *entry); // of a variable, parameter or member
    uint64_t size_of(Dwarf_Die die, int depth = 0);
    std::string name_of(Dwarf_Die die, std::string declarator = {}, int depth = 0);

    // The definition of a record by its name; no_type if there is none, or two.
    TypeId defined(const std::string &name);
    // Declarations of other modules may have their definition here.
    void resolve_declarations();

    const Type &operator[](TypeId id) const { return table_.types[id - 1]; }
    // The target of the pointer at an offset within a type: members, nested records, arrays.
    // Nothing if there is no pointer or if a union leaves it open.
    std::optional<TypeId> pointee_at(TypeId type, uint64_t offset) const;

  private:
    std::optional<TypeId> pointee_within(TypeId id, uint64_t offset, int depth, int &steps) const;
    struct RawField {
        Field field;
        std::optional<Dwarf_Die> type;
    };
    struct Stripped { // without typedefs and qualifiers
        Dwarf_Die die;
        const char *alias = nullptr; // the typedef of an anonymous type
    };
    std::optional<Stripped> strip(Dwarf_Die die);
    TypeId make(const Stripped &stripped, int depth);
    TypeId make_nested(Dwarf_Die die, int depth);
    TypeId make_base(Dwarf_Die die);
    TypeId make_pointer(Dwarf_Die die, int depth);
    TypeId make_array(Dwarf_Die die, int depth);
    TypeId make_record(const Stripped &stripped);
    void fill_records();

    std::string record_name(const Stripped &stripped);
    std::string function_declarator(Dwarf_Die *die, int depth);
    std::vector<uint64_t> dimensions(Dwarf_Die *die);
    std::vector<RawField> fields_of(Dwarf_Die *die);
    void add_fields(Dwarf_Die *die, std::vector<RawField> &fields, bool is_union, int depth);
    std::optional<RawField> read_field(Dwarf_Die *die, bool is_union);
    std::string label_of(const std::optional<Dwarf_Die> &die);
    std::string record_key(const Type &type, const std::vector<RawField> &fields);
    std::optional<Dwarf_Die> definition_of(Dwarf_Die *die, const std::string &name);
    void read_definitions();
    void add_definitions(Dwarf_Die *parent, int depth);

    TypeTable::Impl &table_;
    Units &units_;
    std::unordered_map<const void *, TypeId> ids_;
    std::unordered_map<const void *, std::string> labels_; // of anonymous records
    std::vector<std::pair<TypeId, std::vector<RawField>>> unfilled_;
    int name_steps_ = 0;
    bool definitions_read_ = false;
    uint32_t declarations_seen_ = 0;
    struct Definition {
        Dwarf_Die die;
        uint64_t size = 0;
        bool ambiguous = false;
    };
    std::unordered_map<std::string, Definition> definitions_; // of this module, by name
};

} // namespace heapstory
