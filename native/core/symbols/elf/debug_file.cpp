// Finding the debug file of a stripped ELF file, where gdb would look for it.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/elf/image.h"

#include <array>
#include <cstdlib>
#include <elfutils/libdwelf.h>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>

namespace heapstory {

namespace {

std::vector<std::string> debug_folders() {
    std::vector<std::string> folders;
    if (const char *text = std::getenv("HEAPSTORY_DEBUG_PATH")) {
        std::string list = text;
        for (size_t start = 0; start <= list.size();) {
            size_t end = std::min(list.find(':', start), list.size());
            if (end > start)
                folders.push_back(list.substr(start, end - start));
            start = end + 1;
        }
    }
    folders.push_back("/usr/lib/debug");
    return folders;
}

// The checksum of .gnu_debuglink: CRC-32 of the whole file.
bool checksum_is(int fd, uint32_t expected) {
    static const auto table = [] {
        std::array<uint32_t, 256> entries{};
        for (uint32_t i = 0; i < 256; ++i) {
            uint32_t value = i;
            for (int bit = 0; bit < 8; ++bit)
                value = (value >> 1) ^ ((value & 1) ? 0xedb88320u : 0);
            entries[i] = value;
        }
        return entries;
    }();
    std::vector<unsigned char> buffer(1 << 16);
    uint32_t crc = ~0u;
    off_t at = 0;
    for (ssize_t got; (got = pread(fd, buffer.data(), buffer.size(), at)) > 0; at += got)
        for (ssize_t i = 0; i < got; ++i)
            crc = table[(crc ^ buffer[static_cast<size_t>(i)]) & 255] ^ (crc >> 8);
    return ~crc == expected;
}

std::unique_ptr<ElfImage> try_open(const std::string &path) {
    if (access(path.c_str(), R_OK) != 0)
        return nullptr;
    try {
        return std::make_unique<ElfImage>(path);
    } catch (const std::runtime_error &) {
        return nullptr;
    }
}

std::unique_ptr<ElfImage> by_build_id(const ElfImage &image) {
    const std::string &id = image.build_id();
    if (id.size() < 4)
        return nullptr;
    for (const std::string &folder : debug_folders()) {
        auto found =
            try_open(folder + "/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug");
        if (found && found->build_id() == id)
            return found;
    }
    return nullptr;
}

std::unique_ptr<ElfImage> by_link(const ElfImage &image) {
    GElf_Word checksum = 0;
    const char *link = dwelf_elf_gnu_debuglink(image.elf(), &checksum);
    if (!link || !*link)
        return nullptr;
    std::error_code error;
    auto real = std::filesystem::canonical(image.path(), error);
    std::string folder = (error ? std::filesystem::path(image.path()) : real).parent_path();
    std::vector<std::string> candidates = {folder + "/" + link, folder + "/.debug/" + link};
    for (const std::string &debug : debug_folders())
        candidates.push_back(debug + folder + "/" + link);
    for (const std::string &candidate : candidates) {
        auto found = try_open(candidate);
        if (!found || std::filesystem::equivalent(candidate, image.path(), error))
            continue;
        // A build-id says as much as the checksum and costs no reading of the whole file.
        bool ids = !image.build_id().empty() && !found->build_id().empty();
        if (ids ? found->build_id() == image.build_id() : checksum_is(found->fd(), checksum))
            return found;
    }
    return nullptr;
}

} // namespace

std::unique_ptr<ElfImage> find_debug_file(const ElfImage &image) {
    auto found = by_build_id(image);
    return found ? std::move(found) : by_link(image);
}

} // namespace heapstory
