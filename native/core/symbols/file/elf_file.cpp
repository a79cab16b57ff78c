// ElfFile: puts the parts together and keeps damaged files from doing harm.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/file/elf_file.h"

#include "symbols/elf/demangle.h"
#include "symbols/types/locals.h"
#include "symbols/types/variables.h"

#include <exception>

namespace heapstory {

namespace {

bool has_units(Dwarf *dwarf) {
    Dwarf_CU *cu = nullptr;
    return dwarf && dwarf_get_units(dwarf, nullptr, &cu, nullptr, nullptr, nullptr, nullptr) == 0;
}

// A trace with fewer names is better than none: out of memory or a damaged file gives the default.
template <typename Result, typename Action> Result guarded(Result otherwise, Action action) {
    try {
        return action();
    } catch (const std::exception &) {
        return otherwise;
    }
}

} // namespace

std::unique_ptr<ElfFile> ElfFile::open(const std::string &path, TypeTable &types) {
    return std::make_unique<ElfFileReader>(path, types);
}

ElfFileReader::ElfFileReader(const std::string &path, TypeTable &types)
    : image_(path), table_(types) {}

ElfFileReader::~ElfFileReader() {
    frames_.reset();
    types_.reset();
    units_.reset();
    dwarf_end(dwarf_);
}

std::string ElfFileReader::build_id() const {
    return image_.build_id();
}

std::vector<Segment> ElfFileReader::segments() const {
    return image_.segments();
}

void ElfFileReader::find_debug() {
    debug_searched_ = true;
    dwarf_ = dwarf_begin_elf(image_.elf(), DWARF_C_READ, nullptr);
    if (!has_units(dwarf_)) {
        dwarf_end(dwarf_);
        dwarf_ = nullptr;
        debug_ = find_debug_file(image_);
        if (debug_)
            dwarf_ = dwarf_begin_elf(debug_->elf(), DWARF_C_READ, nullptr);
        if (!has_units(dwarf_)) {
            dwarf_end(dwarf_);
            dwarf_ = nullptr;
        }
    }
    if (dwarf_) {
        units_ = std::make_unique<Units>(dwarf_, image_, [this](uint64_t entry) {
            const Symbol *symbol = symbols().function(entry);
            return symbol && symbol->address == entry ? demangle(symbol->name.c_str()) : "";
        });
        types_ = std::make_unique<TypeReader>(table_, *units_);
        frames_ = std::make_unique<Frames>(dwarf_, image_);
    }
}

bool ElfFileReader::readable() {
    if (!image_.intact())
        return false;
    if (!debug_searched_)
        find_debug();
    return dwarf_ && (!debug_ || debug_->intact());
}

const SymbolTables &ElfFileReader::symbols() {
    if (!symbols_read_ && image_.intact()) {
        if (!debug_searched_)
            find_debug();
        symbols_read_ = true;
        symbols_.read(image_, debug_ && debug_->intact() ? debug_.get() : nullptr);
    }
    return symbols_;
}

bool ElfFileReader::has_debug_info() {
    return guarded(false, [&] { return readable(); });
}

std::vector<Place> ElfFileReader::places(uint64_t address) {
    return guarded(std::vector<Place>(), [&] {
        std::vector<Place> places;
        if (readable())
            places = units_->places(address);
        if (places.empty())
            places.emplace_back();
        if (places.back().function.empty())
            if (const Symbol *symbol = symbols().function(address))
                places.back().function = demangle(symbol->name.c_str());
        if (places.back().function.empty() && places.back().path.empty())
            places.pop_back();
        return places;
    });
}

std::vector<Place> ElfFileReader::begun(uint64_t address) {
    return guarded(std::vector<Place>(),
                   [&] { return readable() ? units_->begun(address) : std::vector<Place>(); });
}

std::vector<LocalVariable> ElfFileReader::locals(uint64_t address) {
    return guarded(std::vector<LocalVariable>(), [&] {
        if (!readable())
            return std::vector<LocalVariable>();
        types_->resolve_declarations();
        return locals_of(*units_, *types_, address);
    });
}

std::optional<FrameAddress> ElfFileReader::frame_address(uint64_t address) {
    return guarded(std::optional<FrameAddress>(), [&] {
        return readable() ? frames_->at(address) : std::optional<FrameAddress>();
    });
}

std::vector<uint8_t> ElfFileReader::bytes(uint64_t address, uint64_t count) {
    return guarded(std::vector<uint8_t>(), [&] {
        std::vector<uint8_t> found(image_.intact() ? count : 0);
        found.resize(image_.read(address, found.data(), found.size()));
        return found;
    });
}

std::optional<ElfFile::Function> ElfFileReader::function(uint64_t address) {
    return guarded(std::optional<Function>(), [&]() -> std::optional<Function> {
        CompileUnit *unit = readable() ? units_->at(address) : nullptr;
        if (Subprogram *found = unit ? units_->function_at(*unit, address) : nullptr)
            if (const std::string &name = units_->name_of(*found); !name.empty())
                return Function{name, found->entry, found->size};
        if (const Symbol *symbol = symbols().function(address))
            return Function{demangle(symbol->name.c_str()), symbol->address, symbol->size};
        return {};
    });
}

const std::vector<Variable> &ElfFileReader::all_variables() {
    if (!variables_) {
        bool debug = readable();
        const std::vector<Symbol> &objects = symbols().objects();
        std::vector<Variable> found;
        if (debug) {
            types_->resolve_declarations();
            VariableReader reader(*units_, *types_);
            reader.read(objects);
            found = merge_symbols(reader.take(), objects, &reader);
            types_->resolve_declarations();
        } else {
            found = merge_symbols({}, objects, nullptr);
        }
        variables_ = std::move(found);
    }
    return *variables_;
}

std::vector<Variable> ElfFileReader::variables() {
    return guarded(std::vector<Variable>(), [&] { return all_variables(); });
}

TypeId ElfFileReader::pointee_of_receiver(uint64_t return_address, const Receiver &receiver) {
    return guarded(no_type, [&] {
        if (!readable())
            return no_type;
        return receiver_finder().find(return_address, receiver);
    });
}

ReceiverFinder ElfFileReader::receiver_finder() {
    types_->resolve_declarations();
    return ReceiverFinder(*units_, *types_, *frames_,
                          [this]() -> const std::vector<Variable> & { return all_variables(); });
}

std::vector<ElfFile::SourceFolder> ElfFileReader::source_folders() {
    return guarded(std::vector<SourceFolder>(), [&] {
        return readable() ? units_->source_folders() : std::vector<SourceFolder>();
    });
}

bool ElfFileReader::may_hand_on(uint64_t address) {
    return guarded(true, [&] {
        CompileUnit *unit = readable() ? units_->at(address) : nullptr;
        Subprogram *function = unit ? units_->function_at(*unit, address) : nullptr;
        if (!function)
            return true;
        TypeId returned = types_->type_of(&function->die);
        if (returned == no_type || (*types_)[returned].kind == TypeKind::record)
            return returned != no_type;
        auto target = types_->pointee_at(returned, 0);
        return target && (*target == no_type || (*types_)[*target].kind != TypeKind::record);
    });
}

} // namespace heapstory
