// The code of the program as tables: sites, modules and stacks.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/tables/sql_parts.h"

namespace heapstory {

namespace {

using enum ColumnType;

std::string_view base_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

} // namespace

TableData sites_table(const Store &store) {
    std::vector<ColumnSpec> columns = {{"site", number},  {"file", text},     {"path", text},
                                       {"line", number},  {"function", text}, {"module", text},
                                       {"offset", number}};
    const Tables &tables = store.tables();
    Batch out(columns.size());
    for (uint64_t site = 1; site < tables.sites.size(); ++site) {
        PlaceRow place = tables.places[site].empty() ? PlaceRow{} : tables.places[site].front();
        const std::string &path = tables.text(place.path);
        const CodeAddress &at = tables.sites[site].instruction;
        out[0].number(site);
        out[1].string_or_null(base_name(path));
        out[2].string_or_null(path);
        out[3].id(place.line);
        out[4].string_or_null(tables.text(place.function));
        out[5].string_or_null(tables.text(tables.modules[at.module].path));
        out[6].number(at.offset);
    }
    return table_of(columns, std::move(out));
}

TableData modules_table(const Store &store) {
    std::vector<ColumnSpec> columns = {
        {"module", number}, {"path", text}, {"build_id", text}, {"address", word}, {"own", flag}};
    const Tables &tables = store.tables();
    Batch out(columns.size());
    for (uint64_t module = 1; module < tables.modules.size(); ++module) {
        const ModuleRow &row = tables.modules[module];
        out[0].number(module);
        out[1].string_or_null(tables.text(row.path));
        out[2].string_or_null(tables.text(row.build_id));
        out[3].number(row.bias);
        out[4].flag(row.own);
    }
    return table_of(columns, std::move(out));
}

TableData stacks_table(const Store &store) {
    std::vector<ColumnSpec> columns = {{"stack", number}, {"depth", number}, {"site", number}};
    const Tables &tables = store.tables();
    Batch out(columns.size());
    for (uint32_t stack = 1; stack < tables.stacks.size(); ++stack) {
        uint64_t depth = 0;
        for (uint32_t at = stack; at; at = tables.stacks[at].parent) {
            out[0].number(stack);
            out[1].number(depth++);
            out[2].number(tables.stacks[at].site);
        }
    }
    return table_of(columns, std::move(out));
}

} // namespace heapstory
