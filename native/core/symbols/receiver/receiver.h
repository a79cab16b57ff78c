// The type of what an allocation's receiver points to. Internal to symbols/.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "symbols/code_types.h"
#include "symbols/dwarf/location.h"
#include "symbols/receiver/flow.h"
#include "symbols/types/types.h"

#include <functional>

namespace heapstory {

class ReceiverFinder {
  public:
    using Globals = std::function<const std::vector<Variable> &()>;
    ReceiverFinder(Units &units, TypeReader &types, Frames &frames, Globals globals)
        : units_(units), types_(types), frames_(frames), globals_(std::move(globals)) {}

    TypeId find(uint64_t return_address, const std::optional<Receiver> &receiver);
    StoredTypes stored_by(uint64_t instruction);

  private:
    friend class CallMeaning;
    struct Candidate {
        TypeId type = no_type; // of what is pointed to
        uint64_t start = 0;
    };
    void enter(uint64_t return_address);
    void add_variables(Dwarf_Die *scope);
    std::optional<TypeId> settle(std::vector<TypeId> types) const;
    bool refines(TypeId type, TypeId base) const;
    std::vector<Candidate> in_register(const FlowResult &flow, int reg);
    static std::vector<TypeId> earliest(const std::vector<Candidate> &candidates);
    TypeId most_derived(TypeId type, const std::vector<Candidate> &candidates) const;
    std::vector<TypeId> held_by(int reg, uint64_t pc); // is in that register there
    std::vector<TypeId> on_stack(const Path &path);
    std::vector<TypeId> at_address(uint64_t address);
    std::optional<TypeId> stored(const Path &path);
    std::optional<TypeId> follow(const Path &path, size_t steps);
    TypeId value_of(const StoreFlow &flow, TypeId holder, uint64_t instruction);
    std::optional<TypeId> member(TypeId record, const Path::Step &step) const;
    std::vector<uint64_t> statement_starts();

    Units &units_;
    TypeReader &types_;
    Frames &frames_;
    Globals globals_;

    // Of the call that is being looked at.
    uint64_t address_ = 0, limit_ = 0;
    CompileUnit *unit_ = nullptr;
    Subprogram *function_ = nullptr;
    struct Local {
        Dwarf_Die die;
        std::vector<LocationRange> ranges;
    };
    std::vector<Local> locals_; // innermost first
    std::unordered_set<const void *> seen_;
};

} // namespace heapstory
