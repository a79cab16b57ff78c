// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/program/executed.h"

#include <algorithm>

namespace heapstory {

void Executed::add(std::span<const uint64_t> instructions) {
    for (uint64_t address : instructions) {
        const CodeAddress at = modules_.locate(address);
        ElfFile *file = modules_.is_own(at.module) ? modules_.file(at.module) : nullptr;
        if (!file)
            continue;
        auto [known, is_new] = known_.try_emplace(at.module);
        if (is_new)
            add_bytes(at.module, *file);
        if (known->second.insert(at.offset).second)
            add_instruction(address, at, *file);
    }
}

void Executed::add_bytes(uint32_t module, ElfFile &file) {
    for (const Segment &segment : file.segments())
        if (segment.executable)
            bytes_.push_back({segment.address + tables_.modules[module].bias,
                              file.bytes(segment.address, segment.file_size)});
}

void Executed::add_instruction(uint64_t address, const CodeAddress &at, ElfFile &file) {
    OwnInstruction one;
    one.address = address;
    one.places = list_of(at.module, modules_.places(at));
    one.begun = begun_by(at, file);
    one.frame = frame_of(at, file);
    one.function = function_of(at, file);
    found_.instructions.push_back(one);
}

uint32_t Executed::list_of(uint32_t module, std::vector<PlaceRow> places) {
    auto [known, is_new] = lists_.try_emplace(places, uint32_t(found_.places.size()));
    if (is_new) {
        for (const PlaceRow &place : places)
            paths_.emplace(module, place.path);
        found_.places.push_back(std::move(places));
    }
    return known->second;
}

uint32_t Executed::begun_by(const CodeAddress &at, ElfFile &file) {
    std::vector<PlaceRow> begun;
    for (const Place &place : file.begun(at.offset))
        begun.push_back({0, tables_.string(place.path), place.line});
    return begun.empty() ? 0 : list_of(at.module, std::move(begun)) + 1;
}

uint32_t Executed::frame_of(const CodeAddress &at, ElfFile &file) {
    const auto frame = file.frame_address(at.offset);
    if (!frame)
        return 0;
    auto found = std::ranges::find(found_.frames, *frame);
    if (found == found_.frames.end())
        found = found_.frames.insert(found, *frame);
    return uint32_t(found - found_.frames.begin()) + 1;
}

uint32_t Executed::function_of(const CodeAddress &at, ElfFile &file) {
    const auto function = file.function(at.offset);
    if (!function)
        return 0;
    auto [known, is_new] =
        functions_.try_emplace({at.module, function->address}, uint32_t(functions_.size() + 1));
    if (is_new) {
        std::vector<OwnVariable> &variables = found_.functions.emplace_back();
        for (LocalVariable &variable : file.locals(at.offset))
            variables.push_back(described(std::move(variable), tables_.modules[at.module].bias));
    }
    return known->second;
}

OwnVariable Executed::described(LocalVariable variable, uint64_t bias) {
    OwnVariable made;
    made.name = tables_.string(variable.name);
    made.type = variable.type;
    made.size = variable.size;
    made.scope = std::move(variable.scope);
    made.locations = std::move(variable.locations);
    for (CodeRange &range : made.scope) {
        range.low += bias;
        range.high += bias;
    }
    for (LocationRange &range : made.locations) {
        if (!range.everywhere) {
            range.start += bias;
            range.end += bias;
        }
        for (VariableLocation &location : range.locations)
            if (location.kind == VariableLocation::Kind::fixed)
                location.offset += int64_t(bias);
    }
    return made;
}

} // namespace heapstory
