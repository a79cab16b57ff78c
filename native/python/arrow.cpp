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
        return "l"; // signed, so that differences may be negative
    case ColumnType::small:
        return "i";
    case ColumnType::word:
        return "L"; // unsigned 64-bit
    case ColumnType::flag:
        return "b";
    case ColumnType::choice:
        return "c"; // 8-bit places in the dictionary
    default:
        return "u"; // UTF-8 with 32-bit offsets
    }
}

struct SchemaOwner {
    std::string name;
    std::vector<ArrowSchema> children;
    std::vector<ArrowSchema *> pointers;
    ArrowSchema dictionary{};
};

void release_schema(ArrowSchema *schema) {
    auto *owner = static_cast<SchemaOwner *>(schema->private_data);
    for (ArrowSchema &child : owner->children)
        if (child.release)
            child.release(&child);
    if (owner->dictionary.release)
        owner->dictionary.release(&owner->dictionary);
    delete owner;
    schema->release = nullptr;
}

SchemaOwner *make_schema(ArrowSchema *out, const char *format, const std::string &name,
                         int64_t flags, std::vector<ArrowSchema> children) {
    auto *owner = new SchemaOwner{name, std::move(children), {}, {}};
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
    return owner;
}

void make_column_schema(ArrowSchema *out, const ColumnSpec &spec) {
    SchemaOwner *owner = make_schema(out, format_of(spec.type), spec.name, nullable, {});
    if (spec.type != ColumnType::choice)
        return;
    make_schema(&owner->dictionary, format_of(ColumnType::text), "", nullable, {});
    out->dictionary = &owner->dictionary;
}

// What an array's buffers point into: a batch that others may share, and what was made for Arrow.
struct ArrayOwner {
    std::shared_ptr<const Batch> batch;
    Column words; // of a dictionary
    std::vector<uint8_t> bits;
    std::vector<const void *> buffers;
    std::vector<ArrowArray> children;
    std::vector<ArrowArray *> pointers;
    ArrowArray dictionary{};
};

void release_array(ArrowArray *array) {
    auto *owner = static_cast<ArrayOwner *>(array->private_data);
    for (ArrowArray &child : owner->children)
        if (child.release)
            child.release(&child);
    if (owner->dictionary.release)
        owner->dictionary.release(&owner->dictionary);
    delete owner;
    array->release = nullptr;
}

std::vector<uint8_t> as_bits(const Values<uint8_t> &flags) {
    std::vector<uint8_t> bits((flags.size() + 7) / 8 + 8);
    for (size_t i = 0; i < flags.size(); ++i)
        bits[i / 8] |= uint8_t((flags[i] & 1) << (i % 8));
    return bits;
}

void make_array(ArrowArray *out, ArrayOwner *owner, const Column &column, ColumnType type) {
    owner->buffers.push_back(column.valid.bits());
    switch (type) {
    case ColumnType::number:
    case ColumnType::word:
        owner->buffers.push_back(column.numbers.data());
        break;
    case ColumnType::small:
        owner->buffers.push_back(column.smalls.data());
        break;
    case ColumnType::choice:
        owner->buffers.push_back(column.codes.data());
        break;
    case ColumnType::flag:
        owner->bits = as_bits(column.codes);
        owner->buffers.push_back(owner->bits.data());
        break;
    case ColumnType::text:
        owner->buffers.push_back(column.offsets.data());
        owner->buffers.push_back(column.texts.data());
    }
    *out = {int64_t(column.valid.rows()),
            int64_t(column.valid.nulls()),
            0,
            int64_t(owner->buffers.size()),
            0,
            owner->buffers.data(),
            nullptr,
            nullptr,
            release_array,
            owner};
}

void make_column(ArrowArray *out, std::shared_ptr<const Batch> batch, size_t index,
                 const ColumnSpec &spec) {
    auto *owner = new ArrayOwner();
    owner->batch = std::move(batch);
    make_array(out, owner, (*owner->batch)[index], spec.type);
    if (spec.type != ColumnType::choice)
        return;
    auto *dictionary = new ArrayOwner();
    for (const std::string &word : spec.choices)
        dictionary->words.string(word);
    make_array(&owner->dictionary, dictionary, dictionary->words, ColumnType::text);
    out->dictionary = &owner->dictionary;
}

void make_record(ArrowArray *out, const std::shared_ptr<const Batch> &batch,
                 const std::vector<ColumnSpec> &columns) {
    auto *owner = new ArrayOwner();
    owner->children.resize(columns.size());
    for (size_t i = 0; i < columns.size(); ++i)
        make_column(&owner->children[i], batch, i, columns[i]);
    for (ArrowArray &child : owner->children)
        owner->pointers.push_back(&child);
    owner->buffers.push_back(nullptr);
    *out = {int64_t(batch->rows()),
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
        make_column_schema(&children[i], owner->columns[i]);
    make_schema(out, "+s", "", 0, std::move(children));
    return 0;
}

int stream_next(ArrowArrayStream *stream, ArrowArray *out) {
    auto *owner = static_cast<StreamOwner *>(stream->private_data);
    try {
        *out = {};
        if (auto batch = owner->source())
            make_record(out, batch, owner->columns);
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
