// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/table.h"

namespace heapstory {

void Column::reserve(size_t rows, ColumnType type) {
    switch (type) {
    case ColumnType::number:
    case ColumnType::word:
        return numbers.reserve(rows);
    case ColumnType::small:
        return smalls.reserve(rows);
    case ColumnType::flag:
    case ColumnType::choice:
        return codes.reserve(rows);
    case ColumnType::text:
        return offsets.reserve(rows + 1);
    }
}

void Column::copy(const Column &from, size_t row, ColumnType type) {
    switch (type) {
    case ColumnType::number:
    case ColumnType::word:
        numbers.push_back(from.numbers[row]);
        break;
    case ColumnType::small:
        smalls.push_back(from.smalls[row]);
        break;
    case ColumnType::flag:
    case ColumnType::choice:
        codes.push_back(from.codes[row]);
        break;
    case ColumnType::text:
        texts.append(from.string_at(row));
        offsets.push_back(int32_t(texts.size()));
    }
    valid.add(from.valid[row]);
}

TableData table_of(std::vector<ColumnSpec> columns, Batches batches) {
    auto shared = std::make_shared<const Batches>(std::move(batches));
    return {std::move(columns), [shared]() -> BatchSource {
                return [shared, next = size_t(0)]() mutable -> std::shared_ptr<const Batch> {
                    return next < shared->size() ? (*shared)[next++] : nullptr;
                };
            }};
}

TableData table_of(std::vector<ColumnSpec> columns, Batch batch) {
    return table_of(std::move(columns), Batches{std::make_shared<const Batch>(std::move(batch))});
}

} // namespace heapstory
