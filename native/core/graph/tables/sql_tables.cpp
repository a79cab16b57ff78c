// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/tables/sql_tables.h"

#include "graph/history/edge_versions.h"
#include "graph/tables/sql_parts.h"

namespace heapstory {

TableData sql_table(std::shared_ptr<const Store> store, std::shared_ptr<const Pointers> pointers,
                    std::shared_ptr<const Labels> labels, const std::string &name) {
    if (name == "nodes")
        return nodes_table(store, pointers, labels);
    if (name == "edges")
        return edge_versions_table(store, pointers);
    if (name == "events")
        return events_table(store);
    if (name == "sites")
        return sites_table(*store);
    if (name == "frees")
        return frees_table(store, false);
    if (name == "bad_frees")
        return frees_table(store, true);
    if (name == "bad_free_kinds")
        return bad_free_kinds_table(store);
    if (name == "cpoints")
        return cpoints_table(store, true);
    if (name == "marks")
        return cpoints_table(store, false);
    if (name == "errors")
        return errors_table(store);
    if (name == "held")
        return held_table(store);
    if (name == "mappings")
        return mappings_table(store);
    if (name == "modules")
        return modules_table(*store);
    if (name == "stacks")
        return stacks_table(*store);
    throw FormatError("there is no table " + name);
}

} // namespace heapstory
