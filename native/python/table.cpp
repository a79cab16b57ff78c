// SPDX-License-Identifier: GPL-2.0-or-later
#include "table.h"

#include "arrow.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace heapstory {

nb::object or_none(uint64_t id) {
    return id ? nb::object(nb::int_(id)) : nb::none();
}

nb::object text_object(std::string_view text) {
    return nb::steal(PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "replace"));
}

nb::object value_at(const Column &column, const ColumnSpec &spec, size_t row) {
    if (!column.valid[row])
        return nb::none();
    switch (spec.type) {
    case ColumnType::number:
    case ColumnType::word:
        return nb::int_(column.numbers[row]);
    case ColumnType::small:
        return nb::int_(column.smalls[row]);
    case ColumnType::flag:
        return nb::bool_(column.codes[row] != 0);
    case ColumnType::choice:
        return text_object(spec.choices[column.codes[row]]);
    default:
        return text_object(column.string_at(row));
    }
}

namespace {

// A column as Python objects.
class Objects {
  public:
    Objects(const Table &table, const std::string &name) {
        const auto &columns = table.data.columns;
        while (index_ < columns.size() && columns[index_].name != name)
            ++index_;
        if (index_ == columns.size())
            throw nb::key_error(name.c_str());
        spec_ = &columns[index_];
        for (const std::string &word : spec_->choices)
            words_.push_back(text_object(word));
    }
    nb::object at(const Batch &batch, size_t row) const {
        return words_.empty() ? value_at(batch[index_], *spec_, row)
                              : words_[batch[index_].codes[row]];
    }

  private:
    size_t index_ = 0;
    const ColumnSpec *spec_;
    std::vector<nb::object> words_; // few, and one object of each is enough
};

nb::list column_of(const Table &table, const std::string &name) {
    const Objects objects(table, name);
    nb::list out;
    BatchSource source = table.data.open();
    while (auto batch = source())
        for (size_t row = 0; row < batch->rows(); ++row)
            out.append(objects.at(*batch, row));
    return out;
}

nb::list rows_of(const Table &table, const std::vector<std::string> &names,
                 std::optional<size_t> limit) {
    std::vector<Objects> columns;
    for (const std::string &name : names)
        columns.emplace_back(table, name);
    nb::list out;
    BatchSource source = table.data.open();
    while (auto batch = source())
        for (size_t row = 0; row < batch->rows(); ++row) {
            if (limit && out.size() >= *limit)
                return out;
            nb::object tuple = nb::steal(PyTuple_New(Py_ssize_t(columns.size())));
            for (size_t i = 0; i < columns.size(); ++i)
                PyTuple_SET_ITEM(tuple.ptr(), Py_ssize_t(i),
                                 columns[i].at(*batch, row).release().ptr());
            out.append(tuple);
        }
    return out;
}

size_t length_of(const Table &table) {
    size_t rows = 0;
    BatchSource source = table.data.open();
    while (auto batch = source())
        rows += batch->rows();
    return rows;
}

std::vector<std::string> names_of(const Table &table) {
    std::vector<std::string> names;
    for (const ColumnSpec &column : table.data.columns)
        names.push_back(column.name);
    return names;
}

void release_capsule(void *stream) noexcept {
    auto *held = static_cast<ArrowArrayStream *>(stream);
    if (held->release)
        held->release(held);
    delete held;
}

nb::object stream_of(const Table &table, nb::object /* requested_schema */) {
    auto *stream = new ArrowArrayStream();
    export_stream(table.data, stream);
    return nb::capsule(stream, "arrow_array_stream", release_capsule);
}

} // namespace

void bind_table(nb::module_ &module) {
    nb::class_<Table>(module, "Table")
        .def("__arrow_c_stream__", &stream_of, "requested_schema"_a = nb::none())
        .def("__len__", &length_of)
        .def_prop_ro("names", &names_of)
        .def("column", &column_of, "name"_a)
        .def("rows", &rows_of, "names"_a, "limit"_a = nb::none());
}

} // namespace heapstory
