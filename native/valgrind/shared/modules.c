/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modules: which files are mapped as code, which of them are the program's own, and where their
 * writable data lie.
 *
 * A module is known from the mapping of its ELF header (offset 0) and counts once some part of it
 * is mapped executable. From then on a writable mapping inside its writable PT_LOAD ranges is
 * module data, whether it comes from the file (.data) or is anonymous (.bss). The data are sent as
 * they are at that moment; what the dynamic linker does to them later are ordinary stores.
 *
 * Own: the main executable, everything outside the system's library folders, and code in anonymous
 * memory (JIT). Not covered: data of modules mapped by hand in another order than ELF's;
 * thread-local storage, which is heap or stack memory of the dynamic linker.
 */
#include "shared/modules.h"

#include "shared/options.h"
#include "shared/pages.h"
#include "shared/peek.h"
#include "shared/ranges.h"
#include "shared/ring.h"

#include <elf.h>

#define MAX_DATA 4
#define MAX_HEADERS 128

struct mapping {
    Addr start;
    SizeT length;
    ULong offset;
    UInt protection;
};

struct extent {
    Addr start, end;
};

struct module {
    Addr start, end; /* as far as mappings were seen */
    SizeT head;      /* length of the mapping of the header */
    ULong device, inode;
    HChar *path;
    Bool own, preload, executable;
    Bool allocates;    /* see hs_module_allocates */
    Addr unwind_table; /* 0: none */
    UInt n_data;
    struct extent data[MAX_DATA];
    XArray *mappings; /* of struct mapping, as announced */
    XArray *globals;  /* of struct extent, as announced */
};

static XArray *modules; /* of struct module* */

static Bool starts_with(const HChar *text, const HChar *prefix) {
    return VG_(strncmp)(text, prefix, VG_(strlen)(prefix)) == 0;
}

static Bool in_list(XArray *list, const HChar *path) {
    for (Word i = 0; list && i < VG_(sizeXA)(list); i++)
        if (starts_with(path, *(const HChar **)VG_(indexXA)(list, i)))
            return True;
    return False;
}

static Bool in_system_folder(const HChar *path) {
    static const HChar *const folders[] = {"/lib/",       "/lib32/",     "/lib64/",
                                           "/libx32/",    "/usr/lib/",   "/usr/lib32/",
                                           "/usr/lib64/", "/usr/libx32/"};
    for (UInt i = 0; i < sizeof folders / sizeof *folders; i++)
        if (starts_with(path, folders[i]))
            return True;
    return False;
}

static Bool is_preload(const HChar *path) {
    return VG_(strstr)(path, "/vgpreload_") != NULL;
}

static Bool is_own_path(const HChar *path) {
    static HChar executable[VKI_PATH_MAX];
    if (!executable[0])
        VG_(client_fname)(executable, sizeof executable, True);
    if (is_preload(path) || in_list(hs_options.not_own, path))
        return False;
    if (in_list(hs_options.own, path) || VG_(strcmp)(path, executable) == 0)
        return True;
    return !in_system_folder(path);
}

static struct module *module_at(Addr address) {
    for (Word i = VG_(sizeXA)(modules); i-- > 0;) {
        struct module *module = *(struct module **)VG_(indexXA)(modules, i);
        if (address >= module->start && address < module->end)
            return module;
    }
    return NULL;
}

Bool hs_is_own(Addr code) {
    struct module *module = module_at(code);
    const NSegment *segment;
    const HChar *path;
    if (module)
        return module->own;
    segment = VG_(am_find_nsegment)(code);
    if (!segment || (segment->kind != SkAnonC && segment->kind != SkFileC))
        return False;
    path = VG_(am_get_filename)(segment);
    return path ? is_own_path(path) : True;
}

Bool hs_in_preload(Addr code) {
    struct module *module = module_at(code);
    return module && module->preload;
}

void hs_module_allocates(Addr code) {
    struct module *module = module_at(code);
    if (module)
        module->allocates = True;
}

const HChar *hs_module_path(Addr code) {
    const struct module *module = module_at(code);
    return module ? module->path : NULL;
}

Addr hs_unwind_table(Addr code) {
    const struct module *module = module_at(code);
    return module ? module->unwind_table : 0;
}

Bool hs_allocates(Addr code) {
    const struct module *module = module_at(code);
    return module && module->allocates;
}

/* The module in whose writable pages the address lies, or NULL. */
static const struct module *module_of_data(Addr address) {
    for (Word i = VG_(sizeXA)(modules); i-- > 0;) {
        const struct module *module = *(struct module **)VG_(indexXA)(modules, i);
        for (UInt k = 0; k < module->n_data; k++)
            if (address >= VG_PGROUNDDN(module->data[k].start) &&
                address < VG_PGROUNDUP(module->data[k].end))
                return module;
    }
    return NULL;
}

Bool hs_in_module_data(Addr address) {
    return module_of_data(address) != NULL;
}

Bool hs_is_known_data(Addr address) {
    const struct module *module = module_of_data(address);
    return module && module->own && !module->allocates;
}

/* The program headers of the file mapped at `start`, `length` bytes of it. How many. */
static UInt program_headers(Addr start, SizeT length, Elf64_Phdr load[MAX_HEADERS]) {
    Elf64_Ehdr header;
    if (length < sizeof header || !hs_peek(&header, start, sizeof header) ||
        VG_(memcmp)(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof *load ||
        header.e_phoff > length || header.e_phnum > (length - header.e_phoff) / sizeof *load ||
        header.e_phnum > MAX_HEADERS ||
        !hs_peek(load, start + header.e_phoff, header.e_phnum * sizeof *load))
        return 0;
    return header.e_phnum;
}

/* The unwind table and the writable PT_LOADs of the file mapped at `start`. */
static Bool read_header(struct module *module, Addr start, SizeT length) {
    Elf64_Phdr load[MAX_HEADERS];
    UInt n = program_headers(start, length, load);
    Addr bias = 0, first = ~(Addr)0;
    for (UInt i = 0; i < n; i++)
        if (load[i].p_type == PT_LOAD && load[i].p_vaddr - load[i].p_offset < first)
            first = load[i].p_vaddr - load[i].p_offset;
    if (first == ~(Addr)0)
        return False;
    bias = start - VG_PGROUNDDN(first);
    for (UInt i = 0; i < n; i++)
        if (load[i].p_type == PT_GNU_EH_FRAME)
            module->unwind_table = bias + load[i].p_vaddr;
    for (UInt i = 0; i < n && module->n_data < MAX_DATA; i++)
        if (load[i].p_type == PT_LOAD && (load[i].p_flags & PF_W) && load[i].p_memsz) {
            module->data[module->n_data].start = bias + load[i].p_vaddr;
            module->data[module->n_data].end = bias + load[i].p_vaddr + load[i].p_memsz;
            module->n_data++;
        }
    return True;
}

static void announce_mapping(const struct module *module, const struct mapping *mapping) {
    SizeT path = VG_(strlen)(module->path) + 1;
    UChar buffer[sizeof(struct hsw_map) + VKI_PATH_MAX];
    struct hsw_map map = {mapping->offset, module->device, module->inode, module->own, 0};
    if (path > VKI_PATH_MAX)
        return;
    VG_(memcpy)(buffer, &map, sizeof map);
    VG_(memcpy)(buffer + sizeof map, module->path, path);
    hs_append_payload(HSW_WORD(HSW_MAP, mapping->start),
                      mapping->length | (ULong)mapping->protection << 56, buffer, sizeof map + path,
                      0);
}

static void add_mapping(struct module *module, Addr start, SizeT length, ULong offset,
                        UInt protection) {
    struct mapping mapping = {start, length, offset, protection};
    VG_(addToXA)(module->mappings, &mapping);
    announce_mapping(module, &mapping);
}

/* The bytes of [start, end) that are not zero, in runs. */
static void send_contents(Addr start, Addr end) {
    Addr lowest = start;
    while (start < end) {
        Addr stop;
        while (start < end && *(UChar *)start == 0)
            start++;
        if (start >= end)
            return;
        if ((start & ~(Addr)7) >= lowest)
            start &= ~(Addr)7;
        stop = start;
        while (stop < end) { /* a run ends with 64 zero bytes */
            Addr zeros = stop;
            while (zeros < end && *(UChar *)zeros == 0)
                zeros++;
            if (zeros - stop >= 64 || zeros >= end)
                break;
            stop = zeros + 1;
        }
        hs_send_range(start, stop - start, HSW_RANGE_INITIAL, 0);
        start = stop;
    }
}

static void announce_globals(const struct extent *extent) {
    Addr start = extent->start, end = extent->end;
    hs_record(HSW_GLOBALS, start, end - start);
    while (start < end) { /* the file may end before its mapping */
        Addr readable = hs_readable_end(start, end);
        send_contents(start, readable);
        start = VG_PGROUNDDN(readable) + VKI_PAGE_SIZE;
    }
}

static Bool is_announced(const struct module *module, const struct extent *extent) {
    for (Word i = 0; i < VG_(sizeXA)(module->globals); i++) {
        const struct extent *before = VG_(indexXA)(module->globals, i);
        if (before->start <= extent->start && extent->end <= before->end)
            return True;
    }
    return False;
}

static void find_globals(struct module *module, Addr start, Addr end) {
    if (module->preload || !hs_options.stores)
        return;
    for (UInt i = 0; i < module->n_data; i++) {
        Addr from = module->data[i].start > start ? module->data[i].start : start;
        Addr to = module->data[i].end < end ? module->data[i].end : end;
        if (from < to) {
            struct extent extent = {from, to};
            hs_pages_on(from, to - from);
            if (is_announced(module, &extent)) /* mapped over by the program */
                continue;
            VG_(addToXA)(module->globals, &extent);
            announce_globals(&extent);
        }
    }
}

static struct module *new_module(Addr start, SizeT length, const HChar *path, ULong device,
                                 ULong inode) {
    struct module *module = VG_(calloc)("hs.module", 1, sizeof *module);
    if (!read_header(module, start, length)) {
        VG_(free)(module);
        return NULL;
    }
    module->start = start;
    module->end = start + length;
    module->head = length;
    module->device = device;
    module->inode = inode;
    module->mappings = VG_(newXA)(VG_(malloc), "hs.maps", VG_(free), sizeof(struct mapping));
    module->globals = VG_(newXA)(VG_(malloc), "hs.globals", VG_(free), sizeof(struct extent));
    module->path = VG_(strdup)("hs.path", path);
    module->preload = is_preload(path);
    module->own = is_own_path(path);
    VG_(addToXA)(modules, &module);
    return module;
}

/* The latest module of this file that lies before `start`. */
static struct module *module_of_file(Addr start, ULong device, ULong inode) {
    for (Word i = VG_(sizeXA)(modules); i-- > 0;) {
        struct module *module = *(struct module **)VG_(indexXA)(modules, i);
        if (module->device == device && module->inode == inode && module->start <= start)
            return module;
    }
    return NULL;
}

static void file_mapped(Addr start, SizeT length, UInt protection, const NSegment *segment,
                        const HChar *path) {
    ULong offset = segment->offset + (start - segment->start), device = segment->dev;
    ULong inode = segment->ino;
    struct module *module;
    if (offset == 0 && (protection & 1))
        module = new_module(start, length, path, device, inode);
    else
        module = module_of_file(start, device, inode);
    if (!module)
        return;
    if (start + length > module->end)
        module->end = start + length;
    if ((protection & 4) && !module->executable) {
        module->executable = True;
        if (start != module->start)
            add_mapping(module, module->start, module->head, 0, 1);
    }
    if (!module->executable)
        return;
    add_mapping(module, start, length, offset, protection);
    if (protection & 2)
        find_globals(module, start, start + length);
}

static void anonymous_mapped(Addr start, SizeT length) {
    for (Word i = VG_(sizeXA)(modules); i-- > 0;) {
        struct module *module = *(struct module **)VG_(indexXA)(modules, i);
        if (module->executable)
            find_globals(module, start, start + length);
    }
}

void hs_module_mapped(Addr start, SizeT length, UInt protection, const NSegment *segment) {
    const HChar *path = segment->kind == SkFileC ? VG_(am_get_filename)(segment) : NULL;
    if (path)
        file_mapped(start, length, protection, segment, path);
    else if (segment->kind == SkAnonC && (protection & 2))
        anonymous_mapped(start, length);
}

static void forget_globals(struct module *module, Addr start, Addr end) {
    for (Word i = VG_(sizeXA)(module->globals); i-- > 0;) {
        const struct extent *extent = VG_(indexXA)(module->globals, i);
        if (start <= extent->start && extent->end <= end)
            VG_(removeIndexXA)(module->globals, i);
    }
}

void hs_module_unmapped(Addr start, SizeT length) {
    Addr end = start + length;
    Bool told = False;
    for (Word i = VG_(sizeXA)(modules); i-- > 0;) {
        struct module *module = *(struct module **)VG_(indexXA)(modules, i);
        if (start >= module->end || end <= module->start)
            continue;
        if (module->executable && !told) {
            hs_record(HSW_UNMAP, start, length);
            told = True;
        }
        forget_globals(module, start, end);
        if (start <= module->start && end >= module->end) {
            VG_(removeIndexXA)(modules, i);
            VG_(deleteXA)(module->mappings);
            VG_(deleteXA)(module->globals);
            VG_(free)(module->path);
            VG_(free)(module);
        }
    }
}

void hs_send_modules(void) {
    for (Word i = 0; i < VG_(sizeXA)(modules); i++) {
        struct module *module = *(struct module **)VG_(indexXA)(modules, i);
        for (Word k = 0; k < VG_(sizeXA)(module->mappings); k++)
            announce_mapping(module, VG_(indexXA)(module->mappings, k));
        for (Word k = 0; k < VG_(sizeXA)(module->globals); k++)
            announce_globals(VG_(indexXA)(module->globals, k));
    }
}

void hs_modules_init(void) {
    modules = VG_(newXA)(VG_(malloc), "hs.modules", VG_(free), sizeof(struct module *));
}
