// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/packed.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace heapstory {

namespace {

std::string quoted(std::string_view plain) { // names of columns and choices: nothing to escape
    std::string out = "\"";
    out.append(plain);
    out += '"';
    return out;
}

// Whether differences are smaller numbers than the values themselves.
bool is_better_as_delta(const Values<uint64_t> &values) {
    double plain = 0, delta = 0;
    for (size_t row = 1; row < values.size(); row += 7) {
        plain += std::bit_width(values[row]);
        delta += std::bit_width(values[row] > values[row - 1] ? values[row] - values[row - 1]
                                                              : values[row - 1] - values[row]);
    }
    return delta < plain * 0.8;
}

} // namespace

uint32_t Packer::string(std::string_view text) {
    auto [at, fresh] = numbers_.try_emplace(std::string(text), uint32_t(strings_.size()));
    if (fresh)
        strings_.emplace_back(text);
    return at->second;
}

Packer::Array Packer::gather(const TableData &table, size_t column) {
    const ColumnType type = table.columns[column].type;
    Array array;
    BatchSource source = table.open();
    while (auto batch = source()) {
        const Column &from = (*batch)[column];
        for (size_t row = 0; row < batch->rows(); ++row) {
            const bool valid = from.valid[row];
            uint64_t value = 0;
            if (valid)
                switch (type) {
                case ColumnType::number:
                case ColumnType::word:
                    value = from.numbers[row];
                    break;
                case ColumnType::small:
                    value = from.smalls[row];
                    break;
                case ColumnType::flag:
                case ColumnType::choice:
                    value = from.codes[row];
                    break;
                case ColumnType::text:
                    value = string(from.string_at(row));
                    break;
                }
            array.values.push_back(value);
            array.valid.add(valid);
            array.largest = std::max(array.largest, value);
        }
    }
    return array;
}

template <class T> void Packer::write_as(const Array &array, T null, bool delta) {
    const size_t rows = array.values.size(), first = buffers_.size();
    buffers_.resize(first + rows * sizeof(T));
    char *out = buffers_.data() + first;
    T before = 0;
    for (size_t row = 0; row < rows; ++row) {
        T value = array.valid[row] ? T(array.values[row]) : null;
        T kept = value;
        if (delta) {
            kept = T(value - before);
            before = value;
        }
        if (!for_files_) {
            std::memcpy(out + row * sizeof(T), &kept, sizeof(T));
            continue;
        }
        char bytes[sizeof(T)];
        std::memcpy(bytes, &kept, sizeof(T));
        for (size_t plane = 0; plane < sizeof(T); ++plane)
            out[plane * rows + row] = bytes[plane];
    }
}

std::string Packer::write(const ColumnSpec &spec, Array &array) {
    buffers_.resize((buffers_.size() + 7) / 8 * 8, 0);
    const size_t offset = buffers_.size();
    const bool nulls = array.valid.nulls() != 0;
    const bool exact = spec.type == ColumnType::word;
    const bool narrow = spec.type != ColumnType::number && spec.type != ColumnType::text && !exact;
    const bool delta = for_files_ && !narrow && is_better_as_delta(array.values);
    std::string type, null, coding = for_files_ ? ", \"planes\": true" : "";
    bool is_delta = delta;
    if (exact) {
        type = "u64";
        null = "\"18446744073709551615\"";
        write_as<uint64_t>(array, ~uint64_t(0), delta);
    } else if (narrow && array.largest < 0xff) {
        type = "u8";
        null = "255";
        write_as<uint8_t>(array, 0xff, false);
    } else if (narrow && array.largest < 0xffff) {
        type = "u16";
        null = "65535";
        write_as<uint16_t>(array, 0xffff, false);
    } else if (array.largest < 0xffffffff) {
        type = "u32";
        null = "4294967295";
        write_as<uint32_t>(array, 0xffffffff, delta);
    } else {
        type = "f64";
        null = "\"nan\"";
        is_delta = false;
        write_as<double>(array, std::numeric_limits<double>::quiet_NaN(), false);
    }
    std::string made = "{\"type\": " + quoted(type) + ", \"offset\": " + std::to_string(offset) +
                       ", \"bytes\": " + std::to_string(buffers_.size() - offset);
    if (type != "u8")
        made += coding;
    if (is_delta)
        made += ", \"delta\": true";
    if (nulls)
        made += ", \"null\": " + null;
    if (spec.type == ColumnType::text)
        made += ", \"text\": true";
    if (spec.type == ColumnType::choice) {
        made += ", \"choices\": [";
        for (size_t i = 0; i < spec.choices.size(); ++i)
            made.append(i ? ", " : "").append(quoted(spec.choices[i]));
        made += "]";
    }
    return made + "}";
}

void Packer::add(const std::string &name, const TableData &table) {
    std::string columns;
    size_t rows = 0;
    for (size_t column = 0; column < table.columns.size(); ++column) {
        Array array = gather(table, column);
        rows = array.values.size();
        columns += (columns.empty() ? "" : ", ") + quoted(table.columns[column].name) + ": " +
                   write(table.columns[column], array);
    }
    tables_ += (tables_.empty() ? "" : ", ") + quoted(name) +
               ": {\"rows\": " + std::to_string(rows) + ", \"columns\": {" + columns + "}}";
}

} // namespace heapstory
