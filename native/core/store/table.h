// Columns for whoever asks: results of the core as batches of rows.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "store/memory.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heapstory {

enum class ColumnType : uint8_t {
    number, // a count, an id, a timestamp: below 2^63
    small,  // the same, below 2^31
    word,   // an address or a value: any 64 bits
    flag,
    text,
    choice // one of a few words
};

struct ColumnSpec {
    std::string name;
    ColumnType type = ColumnType::number;
    std::vector<std::string> choices = {};
};

// Which rows hold something: one bit each, and no bits as long as all do.
class Validity {
  public:
    size_t rows() const { return rows_; }
    size_t nulls() const { return nulls_; }
    const uint64_t *bits() const { return nulls_ ? bits_.data() : nullptr; }
    bool operator[](size_t row) const { return !nulls_ || bits_[row / 64] >> row % 64 & 1; }
    void add(bool valid) {
        if (!valid && !nulls_++)
            bits_.assign(rows_ / 64 + 1, ~uint64_t(0));
        if (nulls_) {
            if (rows_ % 64 == 0)
                bits_.resize(rows_ / 64 + 1);
            uint64_t bit = uint64_t(1) << rows_ % 64;
            bits_[rows_ / 64] = valid ? bits_[rows_ / 64] | bit : bits_[rows_ / 64] & ~bit;
        }
        ++rows_;
    }

  private:
    Values<uint64_t> bits_;
    size_t rows_ = 0, nulls_ = 0;
};

// Values of one column; which vector is used depends on its type.
struct Column {
    Values<uint64_t> numbers; // and words
    Values<uint32_t> smalls;
    Values<uint8_t> codes;      // flags, and numbers of choices
    Values<int32_t> offsets{0}; // of text: n + 1
    std::string texts;
    Validity valid;

    void number(uint64_t value) {
        numbers.push_back(value);
        valid.add(true);
    }
    void number(std::optional<uint64_t> value) {
        numbers.push_back(value.value_or(0));
        valid.add(value.has_value());
    }
    void small(uint32_t value) {
        smalls.push_back(value);
        valid.add(true);
    }
    // Numbers from 1; 0 means unknown.
    void id(uint64_t value) {
        numbers.push_back(value);
        valid.add(value != 0);
    }
    void small_id(uint32_t value) {
        smalls.push_back(value);
        valid.add(value != 0);
    }
    void flag(std::optional<bool> value) {
        codes.push_back(value.value_or(false));
        valid.add(value.has_value());
    }
    void choice(uint8_t code) {
        codes.push_back(code);
        valid.add(true);
    }
    void string(std::string_view value) {
        texts.append(value);
        offsets.push_back(int32_t(texts.size()));
        valid.add(true);
    }
    void null_string() {
        offsets.push_back(int32_t(texts.size()));
        valid.add(false);
    }
    // Empty means unknown.
    void string_or_null(std::string_view value) { value.empty() ? null_string() : string(value); }
    std::string_view string_at(size_t row) const {
        return std::string_view(texts).substr(size_t(offsets[row]),
                                              size_t(offsets[row + 1] - offsets[row]));
    }
    void reserve(size_t rows, ColumnType type);
    // Appends a row of another column of the same type.
    void copy(const Column &from, size_t row, ColumnType type);
};

struct Batch {
    std::vector<Column> columns;
    explicit Batch(size_t count = 0) : columns(count) {}
    size_t rows() const { return columns.empty() ? 0 : columns[0].valid.rows(); }
    Column &operator[](size_t i) { return columns[i]; }
    const Column &operator[](size_t i) const { return columns[i]; }
};

using Batches = std::vector<std::shared_ptr<const Batch>>;

// A timestamp that may never come.
inline std::optional<uint64_t> unless_never(uint64_t timestamp) {
    return timestamp == ~uint64_t(0) ? std::nullopt : std::optional(timestamp);
}

// Gives the next rows each time; null when there are none left.
using BatchSource = std::function<std::shared_ptr<const Batch>()>;

// A table that can be read any number of times.
struct TableData {
    std::vector<ColumnSpec> columns;
    std::function<BatchSource()> open;
};

// A table that has been made already.
TableData table_of(std::vector<ColumnSpec> columns, Batches batches);
TableData table_of(std::vector<ColumnSpec> columns, Batch batch);

} // namespace heapstory
