// The types of nodes and of their fields.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/nodes/nodes.h"
#include "format/program/tables.h"

#include <cstdint>

namespace heapstory {

// The type of a node by its declaration or by the stack that allocated it, no_type if unknown.
TypeId node_type(const Tables &tables, const NodeRow &row);

// The type of the field at an offset of a node of this type (arrays repeat), no_type if unknown.
TypeId field_type(const Tables &tables, TypeId type, uint64_t offset);

bool is_pointer(const Tables &tables, TypeId type);

} // namespace heapstory
