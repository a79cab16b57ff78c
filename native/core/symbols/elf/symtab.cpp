// Functions and objects of the symbol tables.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/elf/symtab.h"

#include <algorithm>
#include <cstring>
#include <elfutils/libdwelf.h>
#include <sys/mman.h>
#include <tuple>
#include <unistd.h>

namespace heapstory {

static uint64_t section_end(Elf *elf, size_t index) {
    GElf_Shdr header;
    Elf_Scn *section = elf_getscn(elf, index);
    return section && gelf_getshdr(section, &header) ? header.sh_addr + header.sh_size : 0;
}

void SymbolTables::add(Elf *elf, Elf_Scn *section, const ElfImage &image) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_entsize == 0)
        return;
    Elf_Data *data = elf_getdata(section, nullptr);
    if (!data || !data->d_buf)
        return;
    size_t count = data->d_size / header.sh_entsize;
    for (size_t i = 1; i < count && i < INT32_MAX; ++i) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, static_cast<int>(i), &symbol))
            break;
        int type = GELF_ST_TYPE(symbol.st_info);
        bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
        if ((!function && type != STT_OBJECT) || symbol.st_shndx == SHN_UNDEF ||
            !(function ? image.executable(symbol.st_value) : image.writable(symbol.st_value)))
            continue;
        const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (!name || !*name)
            continue;
        size_t length = std::strcspn(name, "@");
        auto &symbols = function ? functions_ : objects_;
        symbols.push_back({symbol.st_value, symbol.st_size, std::string(name, length),
                           GELF_ST_BIND(symbol.st_info) != STB_LOCAL});
        // Assembler functions often have no size: they end with their section, or see read().
        if (function && symbol.st_size == 0)
            symbols.back().limit = section_end(elf, symbol.st_shndx);
    }
}

void SymbolTables::add_all(Elf *elf, const ElfImage &image) {
    for (Elf_Scn *scn = nullptr; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr header;
        if (gelf_getshdr(scn, &header) &&
            (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
            add(elf, scn, image);
    }
}

// .gnu_debugdata is an xz-compressed ELF file with a .symtab; libdw unpacks it from a descriptor.
void SymbolTables::add_mini_debug(const ElfImage &image) {
    Elf_Scn *section = image.section(".gnu_debugdata");
    Elf_Data *data = section ? elf_rawdata(section, nullptr) : nullptr;
    if (!data || !data->d_buf)
        return;
    int fd = memfd_create("gnu_debugdata", MFD_CLOEXEC);
    if (fd < 0)
        return;
    if (write(fd, data->d_buf, data->d_size) == static_cast<ssize_t>(data->d_size) &&
        lseek(fd, 0, SEEK_SET) == 0) {
        if (Elf *elf = dwelf_elf_begin(fd)) {
            if (elf_kind(elf) == ELF_K_ELF)
                add_all(elf, image);
            elf_end(elf);
        }
    }
    close(fd);
}

void SymbolTables::read(const ElfImage &image, const ElfImage *debug) {
    add_all(image.elf(), image);
    if (debug)
        add_all(debug->elf(), image);
    else
        add_mini_debug(image);
    // Aliases: the shortest name comes first, global before local. A size is better than none.
    auto order = [](const Symbol &a, const Symbol &b) {
        return std::tuple(a.address, a.size == 0, !a.global, a.name.size(),
                          std::string_view(a.name)) < std::tuple(b.address, b.size == 0, !b.global,
                                                                 b.name.size(),
                                                                 std::string_view(b.name));
    };
    auto same = [](const Symbol &a, const Symbol &b) { return a.address == b.address; };
    for (auto *symbols : {&functions_, &objects_}) {
        std::sort(symbols->begin(), symbols->end(), order);
        symbols->erase(std::unique(symbols->begin(), symbols->end(), same), symbols->end());
    }
    for (size_t i = 0; i < functions_.size(); ++i) {
        Symbol &symbol = functions_[i];
        if (symbol.size == 0 && i + 1 < functions_.size())
            symbol.limit = std::min(symbol.limit, functions_[i + 1].address);
        if (symbol.size == 0 && symbol.limit > symbol.address)
            symbol.size = symbol.limit - symbol.address;
    }
}

const Symbol *SymbolTables::function(uint64_t address) const {
    auto next =
        std::upper_bound(functions_.begin(), functions_.end(), address,
                         [](uint64_t wanted, const Symbol &s) { return wanted < s.address; });
    // A label with a size may lie within a function.
    for (int steps = 0; next != functions_.begin() && steps < 8; ++steps) {
        const Symbol &symbol = *--next;
        if (address - symbol.address < symbol.size)
            return &symbol;
    }
    return nullptr;
}

} // namespace heapstory
