// The tables that SQL sees, as streams of batches: see docs/reference for their columns.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/edges/pointers.h"
#include "graph/nodes/roots.h"
#include "store/table.h"

#include <memory>
#include <string>

namespace heapstory {

// FormatError for an unknown name.
TableData sql_table(std::shared_ptr<const Store> store, std::shared_ptr<const Pointers> pointers,
                    std::shared_ptr<const Labels> labels, const std::string &name);

} // namespace heapstory
