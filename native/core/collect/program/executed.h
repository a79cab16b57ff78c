// What is said of the program's own instructions once they have run: places, variables, code.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "collect/program/modules.h"
#include "format/program/own_code.h"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

namespace heapstory {

// The bytes of an executable segment.
struct ModuleCode {
    uint64_t address = 0;
    Bytes bytes;
};

// Looks up each instruction once, as long as its file is there.
class Executed {
  public:
    Executed(Tables &tables, Modules &modules) : tables_(tables), modules_(modules) {}

    void add(std::span<const uint64_t> instructions);
    // What was found since the last time.
    OwnCode take_code() {
        lists_.clear();
        return std::exchange(found_, {});
    }
    std::vector<ModuleCode> take_bytes() { return std::exchange(bytes_, {}); }
    // Of source files: a module, and the number of a path that it names.
    const std::set<std::pair<uint32_t, uint32_t>> &paths() const { return paths_; }

  private:
    void add_instruction(uint64_t address, const CodeAddress &at, ElfFile &file);
    void add_bytes(uint32_t module, ElfFile &file);
    uint32_t list_of(uint32_t module, std::vector<PlaceRow> places);
    uint32_t begun_by(const CodeAddress &at, ElfFile &file);
    uint32_t frame_of(const CodeAddress &at, ElfFile &file);
    uint32_t function_of(const CodeAddress &at, ElfFile &file);
    OwnVariable described(LocalVariable variable, uint64_t bias);

    using Entry = std::pair<uint32_t, uint64_t>; // module, offset
    Tables &tables_;
    Modules &modules_;
    OwnCode found_;
    std::map<std::vector<PlaceRow>, uint32_t> lists_; // of places in it
    std::vector<ModuleCode> bytes_;
    std::map<uint32_t, std::unordered_set<uint64_t>> known_; // offsets by module
    std::map<Entry, uint32_t> functions_;
    std::set<std::pair<uint32_t, uint32_t>> paths_;
};

} // namespace heapstory
