// Columns for whoever asks: results of the core as batches of rows.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heapstory {

enum class ColumnType : uint8_t { number, flag, text };

struct ColumnSpec {
    std::string name;
    ColumnType type = ColumnType::number;
};

// Values of one column; which vector is used depends on its type.
struct Column {
    std::vector<uint64_t> numbers;
    std::vector<uint8_t> flags;
    std::vector<int32_t> offsets{0}; // of text: n + 1
    std::string text;
    std::vector<uint8_t> valid; // one byte per row; 0 is null

    void number(uint64_t value) {
        numbers.push_back(value);
        valid.push_back(1);
    }
    void number(std::optional<uint64_t> value) {
        numbers.push_back(value.value_or(0));
        valid.push_back(value.has_value());
    }
    void flag(bool value) {
        flags.push_back(value);
        valid.push_back(1);
    }
    void flag(std::optional<bool> value) {
        flags.push_back(value.value_or(false));
        valid.push_back(value.has_value());
    }
    void string(std::string_view value) {
        text.append(value);
        offsets.push_back(int32_t(text.size()));
        valid.push_back(1);
    }
    void null_string() {
        offsets.push_back(int32_t(text.size()));
        valid.push_back(0);
    }
    // Empty means unknown.
    void string_or_null(std::string_view value) { value.empty() ? null_string() : string(value); }
    std::string_view string_at(size_t row) const {
        return std::string_view(text).substr(size_t(offsets[row]),
                                             size_t(offsets[row + 1] - offsets[row]));
    }
};

struct Batch {
    std::vector<Column> columns;
    explicit Batch(size_t count = 0) : columns(count) {}
    size_t rows() const { return columns.empty() ? 0 : columns[0].valid.size(); }
    Column &operator[](size_t i) { return columns[i]; }
};

// Fills a batch with the next rows; false when there are none left.
using BatchSource = std::function<bool(Batch &)>;

// A table that can be read any number of times.
struct TableData {
    std::vector<ColumnSpec> columns;
    std::function<BatchSource()> open;
};

// A table of one batch that has been made already.
TableData table_of(std::vector<ColumnSpec> columns, Batch batch);

} // namespace heapstory
