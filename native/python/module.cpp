// The binding: heapstory._core. Thin on purpose; what it says is in src/heapstory/_core.pyi.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "arrow.h"
#include "check.h"
#include "graph/graph.h"
#include "graph/roots.h"
#include "graph/sql_tables.h"

#include <fstream>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <sstream>
#include <sys/stat.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace heapstory;
using N = std::optional<uint64_t>;

struct Table {
    TableData data;
};

void release_capsule(void *stream) noexcept {
    auto *held = static_cast<ArrowArrayStream *>(stream);
    if (held->release)
        held->release(held);
    delete held;
}

nb::object value_at(const Column &column, ColumnType type, size_t row) {
    if (!column.valid[row])
        return nb::none();
    if (type == ColumnType::number)
        return nb::int_(column.numbers[row]);
    if (type == ColumnType::flag)
        return nb::bool_(column.flags[row] != 0);
    std::string_view text = column.string_at(row);
    return nb::steal(PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "replace"));
}

nb::list column_of(const Table &table, const std::string &name) {
    size_t index = 0;
    while (index < table.data.columns.size() && table.data.columns[index].name != name)
        ++index;
    if (index == table.data.columns.size())
        throw nb::key_error(name.c_str());
    nb::list out;
    BatchSource source = table.data.open();
    Batch batch;
    while (source(batch))
        for (size_t row = 0; row < batch.rows(); ++row)
            out.append(value_at(batch[index], table.data.columns[index].type, row));
    return out;
}

size_t length_of(const Table &table) {
    size_t rows = 0;
    BatchSource source = table.data.open();
    Batch batch;
    while (source(batch))
        rows += batch.rows();
    return rows;
}

nb::object stream_of(const Table &table, nb::object /* requested_schema */) {
    auto *stream = new ArrowArrayStream();
    export_stream(table.data, stream);
    return nb::capsule(stream, "arrow_array_stream", release_capsule);
}

N known(uint64_t id) {
    return id ? N(id) : N();
}
N ended(uint64_t timestamp) {
    return timestamp == never ? N() : N(timestamp);
}

const std::vector<ColumnSpec> node_columns = {
    {"id", ColumnType::number},      {"kind", ColumnType::text},
    {"address", ColumnType::number}, {"size", ColumnType::number},
    {"name", ColumnType::text},      {"type", ColumnType::number},
    {"created", ColumnType::number}, {"created_stack", ColumnType::number},
    {"freed", ColumnType::number},   {"freed_stack", ColumnType::number},
    {"lost", ColumnType::flag},      {"label", ColumnType::text}};

const std::vector<ColumnSpec> edge_columns = {
    {"source", ColumnType::number}, {"offset", ColumnType::number},
    {"value", ColumnType::number},  {"size", ColumnType::number},
    {"target", ColumnType::number}, {"target_offset", ColumnType::number},
    {"state", ColumnType::text},    {"timestamp", ColumnType::number},
    {"site", ColumnType::number}};

using Labels = std::map<uint64_t, std::string>;

std::string_view label_of(const Labels &labels, const NodeRow &row) {
    auto found = labels.lower_bound(row.address);
    return found != labels.end() && row.holds(found->first) ? std::string_view(found->second) : "";
}

void add_node(Batch &out, const Tables &tables, const GraphNode &node, bool scanned,
              const Labels &labels) {
    const NodeRow &row = node.row;
    out[0].number(node.id);
    out[1].string(node.root ? "root" : row.kind == NodeKind::heap ? "heap" : "global");
    out[2].number(row.address);
    out[3].number(row.size);
    out[4].string_or_null(node.root ? node.name : tables.text(row.name));
    out[5].number(known(node.type));
    out[6].number(row.flags & Birth::initial ? N() : N(row.birth_timestamp));
    out[7].number(known(row.stack));
    out[8].number(ended(row.death_timestamp));
    out[9].number(known(row.free_stack));
    bool judged = scanned && !node.root && row.kind == NodeKind::heap;
    out[10].flag(judged ? std::optional<bool>(node.lost) : std::nullopt);
    out[11].string_or_null(label_of(labels, row));
}

Table edge_table(const Store &store, const std::vector<GraphEdge> &edges) {
    Batch out(edge_columns.size());
    Clock clock(store);
    for (const GraphEdge &edge : edges) {
        out[0].number(edge.source);
        out[1].number(edge.offset);
        out[2].number(edge.value);
        out[3].number(edge.size);
        out[4].number(known(edge.target));
        out[5].number(edge.target ? N(edge.target_offset) : N());
        out[6].string(name_of(edge.state));
        out[7].number(edge.initial && !edge.event ? 0 : clock.of(edge.event - edge.initial));
        out[8].number(known(edge.site));
    }
    return {table_of(edge_columns, std::move(out))};
}

struct GraphView {
    std::shared_ptr<const Store> store;
    std::shared_ptr<const Pointers> pointers;
    Graph graph;

    GraphView(std::shared_ptr<const Store> s, std::shared_ptr<const Pointers> p, uint64_t at,
              bool freed)
        : store(s), pointers(p), graph(*s, *p, at, freed) {}

    Table nodes() const {
        Batch out(node_columns.size());
        Labels labels = named_roots(*store, graph.at());
        for (const GraphNode &node : graph.nodes())
            add_node(out, store->tables(), node, graph.scanned(), labels);
        return {table_of(node_columns, std::move(out))};
    }
    Table edges(bool data) const {
        return edge_table(*store, data ? graph.edges(true) : graph.pointers());
    }
};

std::string read_text(const std::string &path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

class Trace {
  public:
    explicit Trace(const std::string &path) : path_(path) {
        struct stat status;
        if (stat(path.c_str(), &status) != 0)
            throw FormatError(path + ": no such trace");
        if (!S_ISDIR(status.st_mode) || stat((path + "/chunks").c_str(), &status) != 0)
            throw FormatError(path + ": not a heapstory trace (record one: heapstory record -o " +
                              path + " -- PROG)");
        store_ = std::make_shared<Store>(path);
        pointers_ = std::make_shared<Pointers>(*store_);
    }

    void close() {
        store_.reset();
        pointers_.reset();
    }

    std::string meta() const { return read_text(path_ + "/meta.json"); }

    uint64_t timestamps() const { return store().totals().changes; }
    bool complete() const { return store().file().closed(); }
    std::optional<std::string> damage() const { return store().damage(); }

    nb::dict summary() const {
        const Store &s = store();
        uint64_t event_bytes = 0, symbol_bytes = 0, source_bytes = 0, births = 0, deaths = 0,
                 calls = 0, ranges = 0, cpoints = 0, threads = 1;
        for (size_t i = 0; i < s.file().chunks().size(); ++i) {
            const ChunkHeader &header = s.file().chunks()[i].header;
            uint64_t bytes = sizeof header + padded(header.length);
            ChunkKind kind = ChunkKind(header.kind);
            (kind == ChunkKind::source                                 ? source_bytes
             : kind == ChunkKind::symbols || kind == ChunkKind::tables ? symbol_bytes
                                                                       : event_bytes) += bytes;
            if (kind != ChunkKind::events)
                continue;
            EventsView view = s.events(uint32_t(i));
            for (const Birth &birth : view.births())
                births += birth.kind == NodeKind::heap;
            deaths += view.deaths().size();
            calls += view.calls().size();
            ranges += view.ranges().size();
            for (const Mark &mark : view.marks())
                cpoints += mark.kind == Mark::Kind::cpoint;
            for (const Switch &item : view.switches())
                threads = std::max<uint64_t>(threads, item.thread);
        }
        uint64_t edges = 0;
        Graph last(s, *pointers_, s.totals().changes, false);
        for (const GraphEdge &edge : last.pointers())
            edges += edge.state == EdgeState::live;
        nb::dict out;
        out["timestamps"] = s.totals().changes;
        out["events"] = s.totals().events;
        out["stores"] = s.totals().slots;
        out["ranges"] = ranges;
        out["allocations"] = births;
        out["frees"] = deaths;
        out["calls"] = calls;
        out["nodes"] = last.nodes().size();
        out["edges"] = edges;
        out["cpoints"] = cpoints;
        out["sites"] = s.tables().sites.size() - 1;
        out["stacks"] = s.tables().stacks.size() - 1;
        out["threads"] = threads;
        out["chunks"] = s.file().chunks().size();
        out["bytes"] = s.file().size();
        out["event_bytes"] = event_bytes;
        out["symbol_bytes"] = symbol_bytes;
        out["source_bytes"] = source_bytes;
        out["complete"] = s.file().closed();
        out["damage"] = s.damage();
        return out;
    }

    GraphView graph(uint64_t at, bool freed) const {
        return GraphView(store_, pointers_, at, freed);
    }

    nb::object node(uint64_t id) const {
        const Store &s = store();
        if (!id || id > s.nodes().size())
            return nb::none();
        GraphNode node;
        node.id = id;
        node.row = s.nodes().get(id);
        const Tables &tables = s.tables();
        node.type = node.row.type ? node.row.type
                    : node.row.stack < tables.stack_types.size()
                        ? tables.stack_types[node.row.stack]
                        : no_type;
        Batch row(node_columns.size());
        add_node(row, tables, node, false, named_roots(s, s.totals().changes));
        nb::dict out;
        for (size_t i = 0; i < node_columns.size(); ++i)
            if (node_columns[i].name != "lost")
                out[node_columns[i].name.c_str()] = value_at(row[i], node_columns[i].type, 0);
        return out;
    }

    N node_at(uint64_t address, uint64_t at) const {
        return known(store().nodes().find(address, store().events_by(at)));
    }

    nb::object value(uint64_t address, size_t size, uint64_t at) const {
        const Store &s = store();
        uint64_t n = s.events_by(at);
        std::string bytes(size, 0);
        for (uint64_t word = address / 8; word * 8 < address + size; ++word) {
            uint64_t node = s.nodes().find(std::max(word * 8, address), n);
            NodeRow row = node ? s.nodes().get(node) : NodeRow{};
            WordState state = s.word(word, n, node ? s.contents_since(row) : 0);
            bool zeroed = node && row.flags & Birth::zeroed;
            for (uint64_t at_byte = std::max(word * 8, address);
                 at_byte < std::min(word * 8 + 8, address + size); ++at_byte) {
                unsigned byte = at_byte % 8;
                if (!(state.mask >> byte & 1) && !zeroed)
                    return nb::none();
                bytes[at_byte - address] = char(state.value >> (8 * byte));
            }
        }
        return nb::bytes(bytes.data(), bytes.size());
    }

    Table fields(uint64_t node, uint64_t at) const {
        check(node);
        return edge_table(store(), fields_of(store(), *pointers_, node, store().events_by(at)));
    }

    Table incoming(uint64_t node, uint64_t at) const {
        check(node);
        return edge_table(store(), incoming_of(store(), *pointers_, node, store().events_by(at)));
    }

    Table history(uint64_t address, uint64_t size, uint64_t first, uint64_t last) const;

    nb::list place(uint32_t site) const {
        const Tables &tables = store().tables();
        if (site >= tables.sites.size())
            throw nb::index_error("no such site");
        nb::list out;
        const CodeAddress &at = tables.sites[site].statement;
        auto add = [&](const PlaceRow &row) {
            nb::dict place;
            place["path"] = row.path ? nb::cast(tables.text(row.path)) : nb::none();
            place["line"] = row.line ? nb::cast(row.line) : nb::none();
            place["function"] = row.function ? nb::cast(tables.text(row.function)) : nb::none();
            const std::string &module = tables.text(tables.modules[at.module].path);
            place["module"] = module.empty() ? nb::none() : nb::cast(module);
            place["offset"] = at.offset;
            out.append(place);
        };
        for (const PlaceRow &row : tables.places[site])
            add(row);
        if (tables.places[site].empty())
            add({});
        return out;
    }

    std::vector<uint32_t> stack(uint32_t stack) const {
        const Tables &tables = store().tables();
        std::vector<uint32_t> sites;
        for (; stack && stack < tables.stacks.size(); stack = tables.stacks[stack].parent)
            sites.push_back(tables.stacks[stack].site);
        return sites;
    }

    nb::dict type(TypeId id) const;
    size_t types() const { return store().tables().types.size() - 1; }

    nb::object source(const std::string &path) const {
        auto texts = sources_of();
        auto found = texts.find(path);
        return found == texts.end() ? nb::none() : text_object(found->second);
    }
    std::vector<std::string> sources() const {
        std::vector<std::string> paths;
        for (const auto &[path, text] : sources_of())
            paths.push_back(path);
        return paths;
    }

    Table table(const std::string &name) const { return {sql_table(store_, pointers_, name)}; }
    std::shared_ptr<const Store> shared_store() const { return store(), store_; }

  private:
    const Store &store() const {
        if (!store_)
            throw FormatError(path_ + ": the trace has been closed");
        return *store_;
    }
    void check(uint64_t node) const {
        if (!node || node > store().nodes().size())
            throw nb::index_error("no such node");
    }
    static nb::object text_object(const std::string &text) {
        return nb::steal(PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "replace"));
    }
    // Source text is read when it is asked for: most questions are not about it.
    std::map<std::string, std::string> sources_of() const {
        std::map<std::string, std::string> found;
        const TraceFile &file = store().file();
        for (size_t i = 0; i < file.chunks().size(); ++i)
            if (file.chunks()[i].header.kind == uint16_t(ChunkKind::source)) {
                SourceText source = decode_source(file.payload(i));
                found[source.path] = std::move(source.text);
            }
        return found;
    }

    std::string path_;
    std::shared_ptr<const Store> store_;
    std::shared_ptr<const Pointers> pointers_;
};

Table Trace::history(uint64_t address, uint64_t size, uint64_t first, uint64_t last) const {
    const Store &s = store();
    std::vector<ColumnSpec> columns = {
        {"timestamp", ColumnType::number}, {"address", ColumnType::number},
        {"size", ColumnType::number},      {"value", ColumnType::number},
        {"silent", ColumnType::flag},      {"kind", ColumnType::text},
        {"site", ColumnType::number},      {"thread", ColumnType::number},
        {"target", ColumnType::number},    {"target_offset", ColumnType::number},
        {"state", ColumnType::text}};
    Batch out(columns.size());
    uint64_t from = first ? s.events_by(first - 1) : 0, to = s.events_by(last);
    for (const Version &version : s.versions(address, size, from, to)) {
        // Contents from before the recording stand before the event of their number.
        uint64_t timestamp =
            version.initial ? s.timestamp_after(version.event) : s.timestamp_of(version.event);
        Meaning meaning;
        if (version.size == 8)
            meaning = pointers_->meaning(version.value, version.event, version.event);
        out[0].number(timestamp);
        out[1].number(version.address);
        out[2].number(version.size);
        out[3].number(version.size <= 8 ? N(version.value) : N());
        out[4].flag(!version.initial && !s.is_change(version.event));
        out[5].string(version.initial ? "initial" : write_kind(s.tables(), version.site));
        out[6].number(known(version.site));
        out[7].number(version.initial ? N() : N(s.thread_of(version.event)));
        out[8].number(known(meaning.target));
        out[9].number(meaning.target ? N(meaning.offset) : N());
        out[10].string(name_of(meaning.state));
    }
    return {table_of(columns, std::move(out))};
}

nb::dict Trace::type(TypeId id) const {
    const Tables &tables = store().tables();
    if (!id || id >= tables.types.size())
        throw nb::index_error("no such type");
    constexpr const char *kinds[] = {"other", "base",        "pointer",  "record",
                                     "array", "enumeration", "function", "other"};
    const Type &type = tables.types[id];
    nb::dict out;
    out["name"] = type.name;
    out["kind"] = kinds[std::min<size_t>(size_t(type.kind), 7)];
    out["size"] = type.size;
    out["target"] = known(type.target);
    out["count"] = type.count;
    out["is_union"] = type.is_union;
    out["is_signed"] = type.is_signed;
    out["is_float"] = type.is_float;
    out["is_char"] = type.is_char;
    nb::list fields;
    for (const Field &field : type.fields) {
        nb::dict item;
        item["name"] = field.name;
        item["offset"] = field.offset;
        item["size"] = field.size;
        item["type"] = known(field.type);
        item["bit_offset"] = field.bit_offset;
        item["bit_size"] = field.bit_size;
        item["base_class"] = field.base_class;
        fields.append(item);
    }
    out["fields"] = fields;
    return out;
}

} // namespace

NB_MODULE(_core, m) {
    m.attr("FORMAT_VERSION") = int(format_version);
    nb::object base = nb::module_::import_("heapstory.errors").attr("TraceError");
    nb::exception<FormatError>(m, "CoreError", base.ptr());

    nb::class_<Table>(m, "Table")
        .def("__arrow_c_stream__", &stream_of, "requested_schema"_a = nb::none())
        .def("__len__", &length_of)
        .def_prop_ro("names",
                     [](const Table &table) {
                         std::vector<std::string> names;
                         for (const ColumnSpec &column : table.data.columns)
                             names.push_back(column.name);
                         return names;
                     })
        .def("column", &column_of, "name"_a);

    nb::class_<GraphView>(m, "GraphView")
        .def_prop_ro("at", [](const GraphView &view) { return view.graph.at(); })
        .def("nodes", &GraphView::nodes)
        .def("edges", &GraphView::edges, "data"_a = false);

    nb::class_<Trace>(m, "Trace")
        .def(nb::init<const std::string &>(), "path"_a)
        .def("close", &Trace::close)
        .def_prop_ro("meta", &Trace::meta)
        .def_prop_ro("timestamps", &Trace::timestamps)
        .def_prop_ro("complete", &Trace::complete)
        .def_prop_ro("damage", &Trace::damage)
        .def("summary", &Trace::summary)
        .def("graph", &Trace::graph, "at"_a, "freed"_a = false)
        .def("node", &Trace::node, "node"_a)
        .def("node_at", &Trace::node_at, "address"_a, "at"_a)
        .def("value", &Trace::value, "address"_a, "size"_a, "at"_a)
        .def("fields", &Trace::fields, "node"_a, "at"_a)
        .def("incoming", &Trace::incoming, "node"_a, "at"_a)
        .def("history", &Trace::history, "address"_a, "size"_a, "first"_a, "last"_a)
        .def("place", &Trace::place, "site"_a)
        .def("stack", &Trace::stack, "stack"_a)
        .def("type", &Trace::type, "type"_a)
        .def("types", &Trace::types)
        .def("source", &Trace::source, "path"_a)
        .def("sources", &Trace::sources)
        .def("table", &Trace::table, "name"_a);

    add_check(m, [](nb::handle trace) { return nb::cast<Trace &>(trace).shared_store(); });
}
