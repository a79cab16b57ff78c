// Every version of every pointer field: MG++'s edges, as a table.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/pointers.h"
#include "store/table.h"

#include <memory>

namespace heapstory {

TableData edge_versions_table(std::shared_ptr<const Store> store,
                              std::shared_ptr<const Pointers> pointers);

} // namespace heapstory
