// Tables of the core as Python sees them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "store/table.h"

#include <nanobind/nanobind.h>

namespace heapstory {

struct Table {
    TableData data;
};

// One value as a Python object; None where there is none.
nanobind::object value_at(const Column &column, const ColumnSpec &spec, size_t row);
nanobind::object text_object(std::string_view text);
// A number that 0 stands for none of.
nanobind::object or_none(uint64_t id);

void bind_table(nanobind::module_ &module);

} // namespace heapstory
