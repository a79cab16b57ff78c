// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/program/modules.h"

#include "heapstory_wire.h"

#include <algorithm>

namespace heapstory {

std::shared_ptr<ElfFile> Modules::open(const std::string &path) {
    auto [at, added] = files_.try_emplace(path);
    if (added) {
        try {
            at->second = ElfFile::open(path, types_);
        } catch (const std::exception &) {
            // Not an ELF file, or not readable: its addresses stay numbers.
        }
    }
    return at->second;
}

uint32_t Modules::module_for(const std::string &path, uint64_t bias, bool own,
                             const std::shared_ptr<ElfFile> &file) {
    auto [at, added] = ids_.try_emplace({path, bias}, uint32_t(tables_.modules.size()));
    if (added) {
        ModuleRow row;
        row.path = tables_.string(path);
        row.build_id = file ? tables_.string(file->build_id()) : 0;
        row.bias = bias;
        row.own = own;
        tables_.modules.push_back(row);
        loaded_.push_back(file);
    }
    return at->second;
}

// Neighbouring segments may share a page of the file. Which of them is meant is told by where the
// file's other parts lie, then by where the mapping begins and by its protection: `lld` makes two
// writable segments.
uint64_t Modules::bias_of(const std::string &path, const ElfFile &file,
                          const Mapped &mapped) const {
    constexpr uint64_t page_mask = ~uint64_t(4095);
    uint64_t best = mapped.address - mapped.file_offset;
    int best_score = 0;
    for (const Segment &segment : file.segments()) {
        const uint64_t begin = segment.offset & page_mask;
        if (mapped.file_offset < begin || mapped.file_offset >= segment.offset + segment.file_size)
            continue;
        const uint64_t bias =
            mapped.address - (segment.address - segment.offset + mapped.file_offset);
        const int score = 1 + (segment.writable == mapped.writable) +
                          (segment.executable == mapped.executable) +
                          4 * (mapped.file_offset == begin) + 8 * ids_.contains({path, bias});
        if (score > best_score) {
            best_score = score;
            best = bias;
        }
    }
    return best;
}

void Modules::map(const Mapped &mapped, const std::string &path) {
    unmap(mapped.address, mapped.length);
    std::shared_ptr<ElfFile> file = open(path);
    uint64_t bias = file ? bias_of(path, *file, mapped) : mapped.address - mapped.file_offset;
    mappings_[mapped.address] = {mapped.address + mapped.length,
                                 module_for(path, bias, mapped.own, file)};
}

void Modules::unmap(uint64_t address, uint64_t length) {
    uint64_t end = address + length;
    auto at = mappings_.upper_bound(address);
    if (at != mappings_.begin())
        --at;
    while (at != mappings_.end() && at->first < end) {
        auto [start, mapping] = *at;
        if (mapping.end <= address) {
            ++at;
            continue;
        }
        at = mappings_.erase(at);
        if (start < address)
            mappings_[start] = {address, mapping.module};
        if (mapping.end > end)
            at = mappings_.emplace(end, Mapping{mapping.end, mapping.module}).first;
        bool still = std::any_of(mappings_.begin(), mappings_.end(),
                                 [&](const auto &m) { return m.second.module == mapping.module; });
        if (!still) {
            // A later mapping of this path may be another file: a new module, opened again.
            std::erase_if(ids_, [&](const auto &id) { return id.second == mapping.module; });
            files_.erase(tables_.text(tables_.modules[mapping.module].path));
        }
    }
}

CodeAddress Modules::locate(uint64_t address) const {
    auto at = mappings_.upper_bound(address);
    if (at != mappings_.begin()) {
        --at;
        if (address < at->second.end)
            return {at->second.module, address - tables_.modules[at->second.module].bias};
    }
    return {0, address};
}

// Data without initial values are no part of the file: they lie in anonymous memory.
uint32_t Modules::module_of_data(uint64_t address) const {
    if (uint32_t module = locate(address).module)
        return module;
    for (const auto &[start, mapping] : mappings_) {
        if (!loaded_[mapping.module])
            continue;
        const uint64_t offset = address - tables_.modules[mapping.module].bias;
        for (const Segment &segment : loaded_[mapping.module]->segments())
            if (segment.writable && offset - segment.address < segment.memory_size)
                return mapping.module;
    }
    return 0;
}

std::vector<Variable> Modules::variables(uint64_t address, uint64_t length) {
    const uint32_t module = module_of_data(address);
    if (!is_own(module) || !loaded_[module])
        return {};
    uint64_t bias = tables_.modules[module].bias;
    std::vector<Variable> inside;
    for (Variable variable : loaded_[module]->variables()) {
        variable.address += bias;
        bool fits = variable.size && variable.address - address < length;
        bool overlaps =
            !inside.empty() && variable.address < inside.back().address + inside.back().size;
        if (fits && !overlaps)
            inside.push_back(std::move(variable));
    }
    return inside;
}

std::string Modules::name_of(uint64_t address) const {
    const std::string &path = tables_.text(tables_.modules[module_of_data(address)].path);
    return path.substr(path.rfind('/') + 1);
}

void Modules::receiver(uint64_t return_address, uint64_t value) {
    CodeAddress at = locate(return_address);
    if (at.module)
        receivers_.try_emplace({at.module, at.offset}, value);
}

std::vector<PlaceRow> Modules::places(const CodeAddress &address) {
    if (!address.module || !loaded_[address.module])
        return {};
    auto [at, added] = place_cache_.try_emplace({address.module, address.offset});
    if (added)
        for (const Place &place : loaded_[address.module]->places(address.offset))
            at->second.push_back(
                {tables_.string(place.function), tables_.string(place.path), place.line});
    return at->second;
}

bool Modules::is_of_header(uint64_t address) {
    const CodeAddress at = locate(address);
    if (!is_own(at.module))
        return false;
    const std::vector<PlaceRow> found = places(at);
    return !found.empty() && is_of_library(tables_.text(found.back().path));
}

void Modules::resolve_site(const SiteRow &site) {
    tables_.places.push_back(places(site.statement));
    uint32_t function = 0;
    if (site.instruction == site.statement) {
        const auto &own = tables_.places.back();
        function = own.empty() ? 0 : own.front().function;
    } else if (site.instruction.module && loaded_[site.instruction.module]) {
        auto found = loaded_[site.instruction.module]->function(site.instruction.offset);
        function = found ? tables_.string(found->name) : 0;
    }
    tables_.instruction_functions.push_back(function);
}

void Modules::resolve_call(const CallRow &call) {
    PlaceRow row;
    if (auto found = places(call.target); !found.empty())
        row = found.back(); // the function itself, not what was inlined at its start
    tables_.functions.push_back(row);
}

void Modules::resolve() {
    while (tables_.places.size() < tables_.sites.size())
        resolve_site(SiteRow(tables_.sites[tables_.places.size()]));
    while (tables_.functions.size() < tables_.calls.size())
        resolve_call(CallRow(tables_.calls[tables_.functions.size()]));
}

void Modules::expect(uint64_t address) {
    CodeAddress code = locate(address);
    is_expected_.resize(loaded_.size());
    if (is_expected_[code.module])
        return;
    is_expected_[code.module] = true;
    expected_.push_back(code);
}

void Modules::resolve_ahead() {
    for (const CodeAddress &code : expected_)
        if (loaded_[code.module])
            loaded_[code.module]->places(code.offset);
    expected_.clear();
    resolve();
}

TypeId Modules::type_of_frame(uint32_t site) {
    const SiteRow &row = tables_.sites[site];
    CodeAddress call = row.instruction;
    if (!is_own(call.module) || !loaded_[call.module] || row.kind != SiteKind::call)
        return no_type;
    CodeAddress back{call.module, call.offset + row.size};
    auto found = receivers_.find({back.module, back.offset});
    if (found == receivers_.end())
        return no_type;
    auto [at, added] = frame_types_.try_emplace(site, no_type);
    if (!added)
        return at->second;
    uint64_t value = found->second;
    Receiver receiver;
    receiver.kind = Receiver::Kind(value >> 56);
    receiver.reg = uint8_t(value >> 48);
    receiver.offset = int32_t(uint32_t(value));
    if (receiver.kind == Receiver::Kind::global)
        receiver.address = (value & HSW_ADDRESS_MASK) - tables_.modules[call.module].bias;
    return at->second = loaded_[call.module]->pointee_of_receiver(back.offset, receiver);
}

// Whether the caller of the function that a site is in may receive what it allocated.
bool Modules::hands_on(uint32_t site) {
    auto [at, added] = hands_on_.try_emplace(site, true);
    if (added) {
        CodeAddress code = tables_.sites[site].instruction;
        at->second =
            !code.module || !loaded_[code.module] || loaded_[code.module]->may_hand_on(code.offset);
    }
    return at->second;
}

std::vector<uint32_t> Modules::frames_of_type(uint32_t stack) {
    constexpr size_t wrappers = 12;
    std::vector<uint32_t> frames;
    while (stack && frames.size() < wrappers) {
        frames.push_back(tables_.stacks[stack].site);
        stack = hands_on(frames.back()) ? tables_.stacks[stack].parent : 0;
    }
    return frames;
}

TypeId Modules::type_of_stack(uint32_t stack) {
    TypeId bytes = no_type; // an allocator's own view of it, if nobody says more
    for (uint32_t site : frames_of_type(stack)) {
        TypeId type = type_of_frame(site);
        if (type != no_type && (types_[type].kind != TypeKind::base || types_[type].size > 1))
            return type;
        if (bytes == no_type)
            bytes = type;
    }
    return bytes;
}

TypeId Modules::type_of_results(uint32_t stack) {
    for (uint32_t site : frames_of_type(stack)) {
        const SiteRow &row = tables_.sites[site];
        CodeAddress call = row.instruction;
        if (!is_own(call.module) || !loaded_[call.module] || row.kind != SiteKind::call)
            continue;
        if (TypeId type = type_of_result(*loaded_[call.module], call.offset + row.size))
            return type;
    }
    return no_type;
}

TypeId Modules::type_of_allocator(uint32_t stack) {
    for (uint32_t site : frames_of_type(stack)) {
        CodeAddress call = tables_.sites[site].instruction;
        if (!is_own(call.module) || !loaded_[call.module])
            continue;
        if (TypeId type = heapstory::type_of_allocator(*loaded_[call.module], call.offset))
            return type;
    }
    return no_type;
}

void Modules::resolve_types_from(uint32_t stack) {
    tables_.stack_types.resize(tables_.stacks.size());
    for (; stack < tables_.stacks.size(); ++stack)
        tables_.stack_types[stack] = type_of_stack(stack);
    add_types();
}

void Modules::add_types() {
    for (TypeId id = TypeId(tables_.types.size()); id <= types_.size(); ++id)
        tables_.types.push_back(types_[id]);
}

void Modules::resolve_new_types() {
    resolve_types_from(last_new_stacks_);
    last_new_stacks_ = new_stacks_;
    new_stacks_ = uint32_t(tables_.stacks.size());
}

void Modules::resolve_types() {
    resolve_types_from(1);
    for (TypeId id = 1; id < tables_.types.size(); ++id) // a declaration may have been completed
        if (tables_.types[id] != types_[id]) {
            tables_.types[id] = types_[id];
            tables_.completed_types.push_back(id);
        }
}

} // namespace heapstory
