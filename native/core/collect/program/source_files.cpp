// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/program/source_files.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace heapstory {

namespace {

namespace fs = std::filesystem;

constexpr uintmax_t largest = 4 << 20;
const fs::path headers[] = {"/usr/include", "/usr/local/include", "/usr/lib/gcc", "/usr/lib/llvm"};
// Nobody's sources lie here, whatever debug information says.
const fs::path never[] = {"/boot", "/dev", "/etc", "/proc", "/run", "/sys", "/var"};

bool is_below(const fs::path &file, const fs::path &folder) {
    auto [at, rest] = std::ranges::mismatch(folder, file);
    return at == folder.end() && !folder.empty();
}

bool is_below_any(const fs::path &file, std::span<const fs::path> folders) {
    return std::ranges::any_of(folders, [&](const fs::path &f) { return is_below(file, f); });
}

// A folder and its home: /home/name, /root, and what is above them are too much to be sources.
bool is_too_much(const fs::path &folder) {
    return folder == folder.root_path() || folder == "/root" || folder == "/home" ||
           folder.parent_path() == "/home" || is_below_any(folder, never);
}

void add(std::vector<fs::path> &folders, const std::string &text) {
    std::error_code ignored;
    fs::path folder = fs::weakly_canonical(text, ignored);
    if (!text.empty() && folder.is_absolute() && !is_too_much(folder))
        folders.push_back(folder);
}

// project/build and project/src are both of one project, whose headers may lie beside them.
void add_project(std::vector<fs::path> &folders, const ElfFile::SourceFolder &unit) {
    fs::path built_in = unit.built_in, source = unit.source;
    if (!unit.source.empty() && built_in.parent_path() == source.parent_path() &&
        std::distance(built_in.begin(), built_in.end()) > 3)
        add(folders, built_in.parent_path());
}

std::optional<std::string> text_of(const fs::path &file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in || std::move(text).view().find('\0') != std::string_view::npos)
        return {};
    return std::move(text).str();
}

} // namespace

SourceFiles::SourceFiles(const Tables &tables, const Modules &modules,
                         const std::vector<std::string> &consented)
    : tables_(tables), modules_(modules) {
    for (const std::string &folder : consented) {
        std::error_code ignored;
        consented_.push_back(fs::weakly_canonical(folder, ignored));
    }
}

const SourceFiles::Module &SourceFiles::module(uint32_t id) {
    auto [at, added] = known_.try_emplace(id);
    if (!added)
        return at->second;
    Module &known = at->second;
    std::error_code failed;
    known.built = fs::last_write_time(tables_.text(tables_.modules[id].path), failed);
    if (failed)
        known.built = fs::file_time_type::min();
    for (const ElfFile::SourceFolder &unit : modules_.source_folders(id)) {
        add(known.folders, unit.built_in);
        add(known.folders, unit.source);
        add_project(known.folders, unit);
    }
    return known;
}

bool SourceFiles::may_keep(const fs::path &file, uint32_t id) {
    if (is_below_any(file, consented_))
        return true;
    const Module &known = module(id);
    std::error_code failed;
    const fs::file_time_type written = fs::last_write_time(file, failed);
    return !failed && written <= known.built &&
           (is_below_any(file, headers) || is_below_any(file, known.folders));
}

std::vector<SourceText> SourceFiles::read(const std::set<std::pair<uint32_t, uint32_t>> &more) {
    std::map<std::string, std::set<uint32_t>> named; // by path, the modules that name it
    for (size_t site = 0; site < tables_.places.size(); ++site)
        for (const PlaceRow &place : tables_.places[site])
            if (place.path)
                named[tables_.text(place.path)].insert(tables_.sites[site].statement.module);
    for (auto [module, path] : more)
        if (path)
            named[tables_.text(path)].insert(module);
    std::vector<SourceText> texts;
    for (const auto &[path, modules] : named) {
        std::error_code failed;
        const fs::path file = fs::canonical(path, failed);
        if (failed || !fs::is_regular_file(file, failed) || fs::file_size(file, failed) > largest)
            continue;
        if (std::ranges::none_of(modules, [&](uint32_t id) { return may_keep(file, id); }))
            continue;
        if (auto text = text_of(file))
            texts.push_back({path, std::move(*text)});
    }
    return texts;
}

} // namespace heapstory
