// Which source files a trace may keep the text of.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Debug information names any file it likes (#line 1 "/etc/shadow"), and traces are given to
// others. Kept is what a reader of the program's source would have before him: text below the
// folders of its sources, or of the system's headers, that has not changed since the program was
// built; and what lies below folders that the user named.
#pragma once

#include "collect/program/modules.h"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heapstory {

class SourceFiles {
  public:
    SourceFiles(const Tables &tables, const Modules &modules,
                const std::vector<std::string> &consented);

    // Every file that the sites of the trace or these (a module, and a string: a path that it
    // names) name and that may be kept, with its text.
    std::vector<SourceText> read(const std::set<std::pair<uint32_t, uint32_t>> &more);

  private:
    struct Module {
        std::filesystem::file_time_type built;
        std::vector<std::filesystem::path> folders;
    };
    const Module &module(uint32_t id);
    bool may_keep(const std::filesystem::path &file, uint32_t module);

    const Tables &tables_;
    const Modules &modules_;
    std::vector<std::filesystem::path> consented_;
    std::unordered_map<uint32_t, Module> known_;
};

} // namespace heapstory
