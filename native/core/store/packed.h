// Tables as plain typed arrays behind a description in JSON, for readers without Arrow: see
// "Columns" in docs/internals/view.md.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "store/table.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heapstory {

class Packer {
  public:
    // For files: arrays are arranged so that they compress well.
    explicit Packer(bool for_files) : for_files_(for_files) {}

    void add(const std::string &name, const TableData &table);
    // The member "tables" of the header.
    std::string tables() const { return "{" + tables_ + "}"; }
    const std::vector<std::string> &strings() const { return strings_; }
    const std::string &buffers() const { return buffers_; }

  private:
    struct Array { // all of a column
        Values<uint64_t> values;
        Validity valid;
        uint64_t largest = 0; // of those that are no null
    };
    Array gather(const TableData &table, size_t column);
    std::string write(const ColumnSpec &spec, Array &array);
    template <class T> void write_as(const Array &array, T null, bool delta);
    uint32_t string(std::string_view text);

    bool for_files_;
    std::string tables_, buffers_;
    std::vector<std::string> strings_;
    std::unordered_map<std::string, uint32_t> numbers_;
};

} // namespace heapstory
