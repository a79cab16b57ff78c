// SPDX-License-Identifier: GPL-2.0-or-later
#include "arrow.h"

#include <cerrno>
#include <string>

namespace heapstory {

namespace {

constexpr int64_t nullable = 2; // ARROW_FLAG_NULLABLE

const char *format_of(ColumnType type) {
    switch (type) {
    case ColumnType::number:
        return "L"; // unsigned 64-bit
    case ColumnType::flag:
        return "b";
    default:
        return "u"; // UTF-8 with 32-bit offsets
    }
}

struct SchemaOwner {
    std::string name;
    std::vector<ArrowSchema> children;
    std::vector<ArrowSchema *> pointers;
};

void release_schema(ArrowSchema *schema) {
    auto *owner = static_cast<SchemaOwner *>(schema->private_data);
    for (ArrowSchema &child : owner->children)
        if (child.release)
            child.release(&child);
    delete owner;
    schema->release = nullptr;
}

void make_schema(ArrowSchema *out, const char *format, const std::string &name, int64_t flags,
                 std::vector<ArrowSchema> children) {
    auto *owner = new SchemaOwner{name, std::move(children), {}};
    for (ArrowSchema &child : owner->children)
        owner->pointers.push_back(&child);
    *out = {format,
            owner->name.c_str(),
            nullptr,
            flags,
            int64_t(owner->children.size()),
            owner->pointers.data(),
            nullptr,
            release_schema,
            owner};
}

struct ArrayOwner {
    Column column;
    std::vector<uint8_t> bits, validity;
    std::vector<const void *> buffers;
    std::vector<ArrowArray> children;
    std::vector<ArrowArray *> pointers;
};

void release_array(ArrowArray *array) {
    auto *owner = static_cast<ArrayOwner *>(array->private_data);
    for (ArrowArray &child : owner->children)
        if (child.release)
            child.release(&child);
    delete owner;
    array->release = nullptr;
}

std::vector<uint8_t> as_bits(const std::vector<uint8_t> &flags) {
    std::vector<uint8_t> bits((flags.size() + 7) / 8 + 8);
    for (size_t i = 0; i < flags.size(); ++i)
        bits[i / 8] |= uint8_t((flags[i] & 1) << (i % 8));
    return bits;
}

void make_array(ArrowArray *out, Column column, ColumnType type) {
    auto *owner = new ArrayOwner{std::move(column), {}, {}, {}, {}, {}};
    int64_t length = int64_t(owner->column.valid.size()), nulls = 0;
    for (uint8_t valid : owner->column.valid)
        nulls += !valid;
    if (nulls)
        owner->validity = as_bits(owner->column.valid);
    owner->buffers.push_back(nulls ? owner->validity.data() : nullptr);
    if (type == ColumnType::number) {
        owner->buffers.push_back(owner->column.numbers.data());
    } else if (type == ColumnType::flag) {
        owner->bits = as_bits(owner->column.flags);
        owner->buffers.push_back(owner->bits.data());
    } else {
        owner->buffers.push_back(owner->column.offsets.data());
        owner->buffers.push_back(owner->column.text.data());
    }
    *out = {length,
            nulls,
            0,
            int64_t(owner->buffers.size()),
            0,
            owner->buffers.data(),
            nullptr,
            nullptr,
            release_array,
            owner};
}

void make_record(ArrowArray *out, Batch batch, const std::vector<ColumnSpec> &columns) {
    auto *owner = new ArrayOwner();
    int64_t rows = int64_t(batch.rows());
    owner->children.resize(columns.size());
    for (size_t i = 0; i < columns.size(); ++i)
        make_array(&owner->children[i], std::move(batch.columns[i]), columns[i].type);
    for (ArrowArray &child : owner->children)
        owner->pointers.push_back(&child);
    owner->buffers.push_back(nullptr);
    *out = {rows,
            0,
            0,
            1,
            int64_t(columns.size()),
            owner->buffers.data(),
            owner->pointers.data(),
            nullptr,
            release_array,
            owner};
}

struct StreamOwner {
    std::vector<ColumnSpec> columns;
    BatchSource source;
    std::string error;
};

int stream_schema(ArrowArrayStream *stream, ArrowSchema *out) {
    auto *owner = static_cast<StreamOwner *>(stream->private_data);
    std::vector<ArrowSchema> children(owner->columns.size());
    for (size_t i = 0; i < children.size(); ++i)
        make_schema(&children[i], format_of(owner->columns[i].type), owner->columns[i].name,
                    nullable, {});
    make_schema(out, "+s", "", 0, std::move(children));
    return 0;
}

int stream_next(ArrowArrayStream *stream, ArrowArray *out) {
    auto *owner = static_cast<StreamOwner *>(stream->private_data);
    try {
        Batch batch;
        if (!owner->source(batch)) {
            *out = {};
            return 0;
        }
        make_record(out, std::move(batch), owner->columns);
        return 0;
    } catch (const std::exception &error) {
        owner->error = error.what();
        return EIO;
    }
}

const char *stream_error(ArrowArrayStream *stream) {
    return static_cast<StreamOwner *>(stream->private_data)->error.c_str();
}

void release_stream(ArrowArrayStream *stream) {
    delete static_cast<StreamOwner *>(stream->private_data);
    stream->release = nullptr;
}

} // namespace

void export_stream(const TableData &table, ArrowArrayStream *out) {
    *out = {stream_schema, stream_next, stream_error, release_stream,
            new StreamOwner{table.columns, table.open(), {}}};
}

} // namespace heapstory
