// The program's own code that is in a stream: statements, variables, bytes.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/program/own_code.h"
#include "store/store.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heapstory {

// Where a variable, or a piece of it, is at an instruction.
struct PlacedVariable {
    enum class Where : uint8_t {
        nowhere,   // optimised away here, or not yet there
        registers, // `at` is its first byte as stream/registers.h counts them
        frame,  // at this distance from the canonical frame address, 8 above the return address's
        memory, // at this distance from what a register holds
        address
    };
    uint32_t name = 0; // string
    TypeId type = no_type;
    uint64_t size = 0; // of the variable
    Where where = Where::nowhere;
    int64_t at = 0;
    unsigned base = 0;                  // memory: the register, its first byte
    uint64_t piece = 0, piece_size = 0; // offset in the variable, and bytes
};

class StoredCode {
  public:
    explicit StoredCode(std::shared_ptr<const Store> store);

    // The statement of an instruction that ran, and its inlined callers, innermost first.
    std::span<const PlaceRow> places(uint64_t address) const;
    // The instructions of a line that ran, of files whose path ends in these components: first
    // those with which it begins, else by address. Where optimisation left it none of its own,
    // those at which it was to begin; then those that were inlined into it.
    std::vector<uint64_t> addresses(std::string_view path, uint32_t line) const;
    // In scope at an instruction, innermost first; pieces of one follow each other.
    std::vector<PlacedVariable> variables(uint64_t address) const;
    // Code of the program's own modules from an address on, whether it ran or not.
    std::span<const uint8_t> bytes(uint64_t address) const;

    const std::string &text(uint32_t string) const { return store_->tables().text(string); }

  private:
    const OwnInstruction *find(uint64_t address) const;
    PlacedVariable placed(const OwnVariable &variable, const VariableLocation &location,
                          const OwnInstruction &at) const;

    std::shared_ptr<const Store> store_;
    OwnCode code_; // its instructions in order of address
    std::map<uint64_t, Bytes> bytes_;
};

} // namespace heapstory
