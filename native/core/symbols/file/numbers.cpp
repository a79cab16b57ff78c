// Which words of variables hold numbers, from the types of the debug information.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/numbers.h"

namespace heapstory {

namespace {

constexpr uint64_t word = 8;
constexpr uint64_t most_elements = 256; // of an array of records that hold addresses, too
constexpr int max_depth = 32;

class Numbers {
  public:
    Numbers(const TypeTable &types, size_t most) : types_(types), most_(most) {}

    void add(uint64_t address, TypeId id, int depth) {
        if (id == no_type || depth > max_depth)
            return;
        const Type &type = types_[id];
        if (holds_numbers(id, depth)) {
            found(address, address + type.size);
        } else if (type.kind == TypeKind::record && !type.is_union) {
            for (const Field &field : type.fields)
                add(address + field.offset, field.type, depth + 1);
        } else if (type.kind == TypeKind::array && type.count <= most_elements &&
                   type.target != no_type) {
            for (uint64_t i = 0; i < type.count; i++)
                add(address + i * types_[type.target].size, type.target, depth + 1);
        }
    }

    std::vector<CodeRange> take() {
        std::vector<CodeRange> words;
        for (const CodeRange &range : ranges_) {
            CodeRange whole{(range.low + word - 1) / word * word, range.high / word * word};
            if (whole.low < whole.high && words.size() < most_)
                words.push_back(whole);
        }
        return words;
    }

  private:
    bool holds_numbers(TypeId id, int depth) const {
        if (id == no_type || depth > max_depth)
            return false;
        const Type &type = types_[id];
        switch (type.kind) {
        case TypeKind::base:
            return type.size != 0 && !type.is_char && (type.is_float || type.size < word);
        case TypeKind::enumeration:
            return type.size != 0 && type.size < word;
        case TypeKind::array:
            return type.count != 0 && holds_numbers(type.target, depth + 1);
        case TypeKind::record:
            return all_numbers(type, depth);
        default:
            return false;
        }
    }

    bool all_numbers(const Type &type, int depth) const {
        for (const Field &field : type.fields)
            if (!holds_numbers(field.type, depth + 1))
                return false;
        return !type.fields.empty() && type.size != 0;
    }

    void found(uint64_t low, uint64_t high) {
        if (!ranges_.empty() && ranges_.back().high == low)
            ranges_.back().high = high;
        else
            ranges_.push_back({low, high});
    }

    const TypeTable &types_;
    size_t most_;
    std::vector<CodeRange> ranges_;
};

} // namespace

std::vector<CodeRange> number_ranges(ElfFile &file, const TypeTable &types, size_t most) {
    Numbers numbers(types, most);
    for (const Variable &variable : file.variables())
        if (variable.type != no_type && types[variable.type].size == variable.size)
            numbers.add(variable.address, variable.type, 0);
    return numbers.take();
}

} // namespace heapstory
