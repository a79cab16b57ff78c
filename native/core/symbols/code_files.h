// The files that code was loaded from, opened by path and once.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "symbols/symbols.h"

#include <map>

namespace heapstory {

struct FileAddress {
    ElfFile *file = nullptr; // null: gone, or not the one that was executed
    uint64_t address = 0;
};

class CodeFiles {
  public:
    TypeTable types;

    ElfFile *open(const std::string &path);
    // What lies at an offset of a file; an empty build-id is that of any.
    FileAddress at(const std::string &path, const std::string &build_id, uint64_t offset);

  private:
    std::map<std::string, std::unique_ptr<ElfFile>> files_;
};

} // namespace heapstory
