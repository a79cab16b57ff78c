// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/cpoints/code.h"

#include <algorithm>

namespace heapstory::constraints {

bool is_named(const std::string &function, const std::string &wanted) {
    if (function == wanted)
        return true;
    std::string bare = function.substr(0, function.find('('));
    size_t last = bare.rfind("::");
    return bare == wanted || (last != std::string::npos && bare.substr(last + 2) == wanted);
}

StructureCode::StructureCode(const Tables &tables, const Timeline &line,
                             std::vector<std::string> names)
    : tables_(tables), names_(std::move(names)) {
    uint32_t last = 0;
    for (const Version &version : line.versions)
        if (version.site && version.site != last)
            writers_.insert(last = version.site);
    for (const Block &block : line.blocks)
        if (uint32_t site = tables_.site_of_stack(block.free_stack))
            writers_.insert(site);
    if (!names_.empty())
        return;
    for (uint32_t site : writers_) {
        if (site >= tables_.places.size() || tables_.places[site].empty())
            continue;
        const auto &places = tables_.places[site];
        auto is_program = [&](const PlaceRow &place) {
            return !is_of_library(tables_.text(place.path));
        };
        auto own = std::find_if(places.begin(), places.end(), is_program);
        source_.insert(function_of(own == places.end() ? places.front() : *own));
        compiled_.insert(function_of(places.back()));
    }
}

bool StructureCode::is_one_of_names(const PlaceRow &place) const {
    const std::string &name = tables_.text(place.function);
    return std::any_of(names_.begin(), names_.end(),
                       [&](const std::string &own) { return is_named(name, own); });
}

bool StructureCode::belongs(const PlaceRow &place) const {
    if (!place.function)
        return false;
    return names_.empty() ? source_.contains(function_of(place)) : is_one_of_names(place);
}

bool StructureCode::holds_own(const PlaceRow &function) const {
    if (!function.function)
        return false;
    return names_.empty() ? compiled_.contains(function_of(function)) : is_one_of_names(function);
}

const CodePath &StructureCode::path(uint32_t site) {
    auto [at, is_new] = paths_.try_emplace(site);
    if (is_new)
        at->second = new_path(site);
    return at->second;
}

CodePath StructureCode::new_path(uint32_t site) const {
    CodePath path;
    if (site >= tables_.places.size() || tables_.places[site].empty())
        return path;
    const auto &places = tables_.places[site];
    path.compiled_into = function_of(places.back());
    path.compiled_into_own = belongs(places.back());
    for (size_t i = places.size() - 1; i-- > 0;)
        if (!is_of_library(tables_.text(places[i].path)))
            path.inlined.push_back({function_of(places[i]), places[i + 1].line, uint32_t(i + 1),
                                    places[i].line, belongs(places[i])});
    return path;
}

bool StructureCode::is_inlined() const {
    for (uint32_t site = 1; site < tables_.places.size(); ++site)
        if (tables_.sites[site].own && tables_.places[site].size() > 1)
            return true;
    return false;
}

} // namespace heapstory::constraints
