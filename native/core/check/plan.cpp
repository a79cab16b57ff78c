// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/plan.h"

namespace heapstory::check {

void complete(Plan &plan) {
    plan.root_sets.assign(plan.types.size(), none);
    for (uint32_t type = 0; type < plan.types.size(); ++type)
        if (!plan.types[type].roots.empty()) {
            plan.root_sets[type] = uint32_t(plan.edge_sets.size());
            plan.edge_sets.push_back(plan.types[type].roots);
        }
}

} // namespace heapstory::check
