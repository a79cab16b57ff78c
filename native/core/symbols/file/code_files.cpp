// Opens the files that code was loaded from.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/code_files.h"

#include <stdexcept>

namespace heapstory {

ElfFile *CodeFiles::open(const std::string &path) {
    auto [at, fresh] = files_.try_emplace(path);
    if (fresh) {
        try {
            at->second = ElfFile::open(path, types);
        } catch (const std::runtime_error &) { // gone, or no ELF file any more
        }
    }
    return at->second.get();
}

FileAddress CodeFiles::at(const std::string &path, const std::string &build_id, uint64_t offset) {
    ElfFile *file = open(path);
    if (!file || (!build_id.empty() && file->build_id() != build_id))
        return {};
    for (const Segment &segment : file->segments())
        if (offset - segment.offset < segment.file_size)
            return {file, segment.address + offset - segment.offset};
    return {};
}

} // namespace heapstory
