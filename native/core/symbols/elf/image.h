// One opened ELF file: its descriptor, headers and build-id. Internal to symbols/.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "symbols/symbols.h"

#include <ctime>
#include <gelf.h>
#include <string>
#include <sys/types.h>
#include <vector>

namespace heapstory {

// The file is mapped, not read: a library costs a few pages until somebody asks for its symbols. A
// mapping of a file that is rewritten in place would fault or lie, so intact() is asked before
// every use; deleting or replacing the file does no harm.
class ElfImage {
  public:
    explicit ElfImage(const std::string &path); // throws std::runtime_error
    ~ElfImage();
    ElfImage(const ElfImage &) = delete;
    ElfImage &operator=(const ElfImage &) = delete;

    Elf *elf() const { return elf_; }
    int fd() const { return fd_; }
    const std::string &path() const { return path_; }
    const std::string &build_id() const { return build_id_; }
    const std::vector<Segment> &segments() const { return segments_; }

    bool intact() const;
    bool executable(uint64_t address) const;
    bool writable(uint64_t address) const;
    size_t read(uint64_t address, uint8_t *bytes, size_t count) const; // how many were there
    Elf_Scn *section(const char *name) const;                          // nullptr if there is none

  private:
    std::string path_, build_id_;
    std::vector<Segment> segments_;
    Elf *elf_ = nullptr;
    int fd_ = -1;
    off_t size_ = 0;
    timespec changed_{};
};

// The separate debug file of a stripped image, or nullptr: by build-id, then by .gnu_debuglink,
// under /usr/lib/debug and the folders of HEAPSTORY_DEBUG_PATH (separated by colons).
std::unique_ptr<ElfImage> find_debug_file(const ElfImage &image);

} // namespace heapstory
