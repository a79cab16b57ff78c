// Opening ELF files.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/elf/image.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace heapstory {

namespace {

std::string hex(const void *bytes, size_t count) {
    static const char digits[] = "0123456789abcdef";
    std::string text;
    for (size_t i = 0; i < count; ++i) {
        unsigned char byte = static_cast<const unsigned char *>(bytes)[i];
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

std::vector<Segment> read_segments(Elf *elf) {
    std::vector<Segment> segments;
    size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0)
        return segments;
    for (size_t i = 0; i < count && i < 65536; ++i) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, static_cast<int>(i), &header))
            break;
        if (header.p_type == PT_LOAD)
            segments.push_back({header.p_offset, header.p_vaddr, header.p_filesz, header.p_memsz,
                                (header.p_flags & PF_W) != 0, (header.p_flags & PF_X) != 0});
    }
    return segments;
}

const Segment *segment_of(const std::vector<Segment> &segments, uint64_t address) {
    for (const Segment &segment : segments)
        if (address - segment.address < segment.memory_size)
            return &segment;
    return nullptr;
}

} // namespace

ElfImage::ElfImage(const std::string &path) : path_(path) {
    elf_version(EV_CURRENT);
    fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd_ < 0)
        throw std::runtime_error(path + ": " + std::strerror(errno));
    struct stat status;
    if (fstat(fd_, &status) == 0 && S_ISREG(status.st_mode)) {
        size_ = status.st_size;
        changed_ = status.st_mtim;
        elf_ = elf_begin(fd_, ELF_C_READ_MMAP, nullptr);
    }
    if (!elf_ || elf_kind(elf_) != ELF_K_ELF) {
        elf_end(elf_);
        close(fd_);
        throw std::runtime_error(path + ": not an ELF file");
    }
    segments_ = read_segments(elf_);
    const void *id = nullptr;
    ssize_t length = dwelf_elf_gnu_build_id(elf_, &id);
    if (length > 0 && length <= 64)
        build_id_ = hex(id, static_cast<size_t>(length));
}

ElfImage::~ElfImage() {
    elf_end(elf_);
    close(fd_);
}

bool ElfImage::intact() const {
    struct stat status;
    return fstat(fd_, &status) == 0 && status.st_size == size_ &&
           status.st_mtim.tv_sec == changed_.tv_sec && status.st_mtim.tv_nsec == changed_.tv_nsec;
}

bool ElfImage::executable(uint64_t address) const {
    const Segment *segment = segment_of(segments_, address);
    return segment && segment->executable;
}

bool ElfImage::writable(uint64_t address) const {
    const Segment *segment = segment_of(segments_, address);
    return segment && segment->writable;
}

size_t ElfImage::read(uint64_t address, uint8_t *bytes, size_t count) const {
    const Segment *segment = segment_of(segments_, address);
    uint64_t start = segment ? address - segment->address : 0;
    if (!segment || start >= segment->file_size)
        return 0;
    count = std::min<uint64_t>(count, segment->file_size - start);
    ssize_t got = pread(fd_, bytes, count, static_cast<off_t>(segment->offset + start));
    return got > 0 ? static_cast<size_t>(got) : 0;
}

Elf_Scn *ElfImage::section(const char *name) const {
    size_t names = 0;
    if (elf_getshdrstrndx(elf_, &names) != 0)
        return nullptr;
    for (Elf_Scn *scn = nullptr; (scn = elf_nextscn(elf_, scn));) {
        GElf_Shdr header;
        if (!gelf_getshdr(scn, &header))
            return nullptr;
        const char *text = elf_strptr(elf_, names, header.sh_name);
        if (text && std::strcmp(text, name) == 0)
            return scn;
    }
    return nullptr;
}

} // namespace heapstory
