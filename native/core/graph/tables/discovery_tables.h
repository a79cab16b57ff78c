// What the modes portable and internals found, as tables.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/nodes/clusters.h"
#include "store/store.h"
#include "store/table.h"

#include <string>

namespace heapstory {

// The clusters made by n events: id, timestamp.
TableData clusters_table(const Store &store, const Clusters &clusters, uint64_t n);
// The merge edges after n events: cluster, source, target, timestamp, site.
TableData merges_table(const Store &store, const Clusters &clusters, uint64_t n);
// suspicions, counts, candidates or truth; FormatError for another name.
TableData discovery_table(const Store &store, const std::string &name);

} // namespace heapstory
