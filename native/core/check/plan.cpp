// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/plan.h"

namespace heapstory::check {

void complete(Plan &plan) {
    plan.visible_types = uint32_t(plan.types.size());
    plan.root_sets.assign(plan.types.size(), none);
    for (uint32_t type = 0; type < plan.visible_types; ++type) {
        std::vector<EdgeRef> roots;
        for (PlanRoot root : plan.types[type].roots) {
            if (root.from.type == none) {
                PlanType holder;
                holder.name = "root";
                holder.size = root.offset + 8 * root.count;
                holder.members.emplace_back();
                holder.members.back().node = root.node;
                PlanField word;
                word.offset = root.offset;
                word.kind = FieldKind::pointer;
                holder.runs.push_back({word, 8, root.count});
                root.from = {uint32_t(plan.types.size()), none, 0};
                plan.types.push_back(std::move(holder));
                plan.root_sets.push_back(none);
            }
            roots.push_back(root.from);
        }
        if (roots.empty())
            continue;
        plan.root_sets[type] = uint32_t(plan.edge_sets.size());
        plan.edge_sets.push_back(std::move(roots));
    }
}

} // namespace heapstory::check
