// Line tables: rows by address and source paths, one unit at a time.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/dwarf/units.h"

#include <algorithm>
#include <filesystem>

namespace heapstory {

namespace {

std::string absolute_path(const char *name, const char *folder) {
    // A relative folder (distributions map their build folder to ".") is already in the name.
    std::filesystem::path path = name;
    if (path.is_relative() && folder && *folder == '/')
        path = std::filesystem::path(folder) / path;
    return path.lexically_normal();
}

std::vector<std::string> file_names(Dwarf_Files *files, size_t count, const char *folder) {
    std::vector<std::string> names(count);
    for (size_t i = 0; i < count; ++i) {
        const char *name = dwarf_filesrc(files, i, nullptr, nullptr);
        if (name && *name && std::string_view(name) != "???")
            names[i] = absolute_path(name, folder);
    }
    return names;
}

} // namespace

std::vector<ElfFile::SourceFolder> Units::source_folders() {
    std::vector<ElfFile::SourceFolder> folders;
    for (CompileUnit &unit : all()) {
        const char *folder = own_string(&unit.die, DW_AT_comp_dir);
        const char *name = own_string(&unit.die, DW_AT_name);
        ElfFile::SourceFolder found;
        found.built_in = folder ? folder : "";
        if (name)
            found.source = std::filesystem::path(absolute_path(name, folder)).parent_path();
        if (std::ranges::find(folders, found) == folders.end())
            folders.push_back(std::move(found));
    }
    return folders;
}

void Units::read_lines(CompileUnit &unit) {
    unit.lines_read = true;
    const char *folder = own_string(&unit.die, DW_AT_comp_dir);
    Dwarf_Files *files = nullptr;
    size_t file_count = 0;
    if (dwarf_getsrcfiles(&unit.die, &files, &file_count) == 0)
        unit.files = file_names(files, file_count, folder);

    Dwarf_Lines *lines = nullptr;
    size_t count = 0;
    if (dwarf_getsrclines(&unit.die, &lines, &count) != 0)
        return;
    unit.lines.reserve(count);
    for (size_t i = 0; i < count; ++i) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i);
        Dwarf_Addr address = 0;
        int number = 0;
        bool end = false, statement = false;
        Dwarf_Files *of = nullptr;
        size_t file = 0;
        if (!line || dwarf_lineaddr(line, &address) != 0)
            continue;
        dwarf_lineno(line, &number);
        dwarf_lineendsequence(line, &end);
        dwarf_linebeginstatement(line, &statement);
        dwarf_line_file(line, &of, &file);
        // Rows of discarded functions start at 0 or another address that is no code. The end of a
        // sequence may lie just behind the segment.
        if (!image_.executable(address) && !(end && address && image_.executable(address - 1)))
            continue;
        unit.lines.push_back(
            {address, static_cast<uint32_t>(number), static_cast<uint32_t>(file), end, statement});
    }
    std::stable_sort(unit.lines.begin(), unit.lines.end(), [](const LineRow &a, const LineRow &b) {
        return a.address != b.address ? a.address < b.address : a.end_sequence > b.end_sequence;
    });
}

const LineRow *Units::line_at(CompileUnit &unit, uint64_t address) {
    if (!unit.lines_read)
        read_lines(unit);
    auto next =
        std::upper_bound(unit.lines.begin(), unit.lines.end(), address,
                         [](uint64_t wanted, const LineRow &row) { return wanted < row.address; });
    if (next == unit.lines.begin())
        return nullptr;
    const LineRow &row = next[-1];
    return row.end_sequence ? nullptr : &row;
}

std::vector<Place> Units::begun(uint64_t address) {
    CompileUnit *unit = at(address);
    const LineRow *row = unit ? line_at(*unit, address) : nullptr;
    std::vector<Place> places;
    for (; row && row->address == address; --row) {
        if (row->is_statement && !row->end_sequence && row->line && row->file < unit->files.size())
            places.push_back({{}, unit->files[row->file], row->line});
        if (row == unit->lines.data())
            break;
    }
    return places;
}

// The file of an inlined call. In a .dwo file the numbers are those of its own table of files.
std::string Units::call_path(CompileUnit &unit, Dwarf_Die *die) {
    auto number = own_number(die, DW_AT_call_file);
    if (!number)
        return {};
    if (unit.body.addr == unit.die.addr) {
        if (!unit.lines_read)
            read_lines(unit);
        return *number < unit.files.size() ? unit.files[*number] : std::string();
    }
    Dwarf_Files *files = nullptr;
    size_t count = 0;
    if (dwarf_getsrcfiles(&unit.body, &files, &count) != 0 || *number >= count)
        return {};
    const char *name = dwarf_filesrc(files, *number, nullptr, nullptr);
    return name ? absolute_path(name, own_string(&unit.die, DW_AT_comp_dir)) : std::string();
}

} // namespace heapstory
