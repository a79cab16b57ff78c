// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/graph.h"

#include "graph/roots.h"

#include <algorithm>
#include <deque>
#include <future>

namespace heapstory {

std::string_view name_of(EdgeState state) {
    constexpr std::string_view names[] = {"live", "stale", "null", "data"};
    return names[size_t(state)];
}

Pointers::Pointers(const Store &store) : store_(store) {
    auto [low, high] = store.nodes().bounds();
    low_ = low;
    high_ = high;
}

Meaning Pointers::meaning(uint64_t value, uint64_t stored, uint64_t now) const {
    if (!value)
        return {0, 0, EdgeState::null};
    if (!may_be_pointer(value))
        return {};
    const NodeTable &nodes = store_.nodes();
    if (uint64_t node = nodes.find(value, now)) {
        NodeRow row = nodes.get(node);
        if (row.birth <= stored)
            return {node, value - row.address, EdgeState::live};
    }
    if (uint64_t node = nodes.find(value, stored))
        return {node, value - nodes.get(node).address, EdgeState::stale};
    // Stored after its block had gone: it pointed nowhere from the start.
    if (uint64_t node = nodes.find_last(value, stored))
        if (NodeRow row = nodes.get(node); row.kind == NodeKind::heap)
            return {node, value - row.address, EdgeState::stale};
    return {};
}

TypeId field_type(const Tables &tables, TypeId type, uint64_t offset) {
    while (type && type < tables.types.size()) {
        const Type &t = tables.types[type];
        if (t.kind == TypeKind::record) {
            if (!t.size)
                return no_type;
            offset %= t.size;
            auto after = std::upper_bound(t.fields.begin(), t.fields.end(), offset,
                                          [](uint64_t o, const Field &f) { return o < f.offset; });
            if (after == t.fields.begin())
                return no_type;
            const Field &field = *(after - 1);
            if (t.is_union || offset - field.offset >= std::max<uint64_t>(field.size, 1))
                return no_type;
            offset -= field.offset;
            type = field.type;
        } else if (t.kind == TypeKind::array) {
            TypeId element = t.target;
            if (!element || element >= tables.types.size() || !tables.types[element].size)
                return no_type;
            offset %= tables.types[element].size;
            type = element;
        } else {
            return offset % std::max<uint64_t>(t.size, 1) == 0 ? type : no_type;
        }
    }
    return no_type;
}

namespace {

bool is_pointer(const Tables &tables, TypeId type) {
    return type && tables.types[type].kind == TypeKind::pointer;
}

TypeId static_type(const Tables &tables, const NodeRow &row) {
    if (row.type)
        return row.type < tables.types.size() ? row.type : no_type;
    TypeId type = row.stack < tables.stack_types.size() ? tables.stack_types[row.stack] : no_type;
    return type < tables.types.size() ? type : no_type;
}

uint8_t mask_of(uint64_t first, uint64_t end, uint64_t word) { // bytes [first, end) within a word
    uint64_t from = std::max(first, word * 8), to = std::min(end, word * 8 + 8);
    return from >= to ? 0 : shape_mask(make_shape(unsigned(from - word * 8), unsigned(to - from)));
}

} // namespace

Graph::Graph(const Store &store, const Pointers &pointers, uint64_t at, bool freed)
    : store_(store), pointers_(pointers), at_(at), events_(store.events_by(at)),
      image_(std::make_unique<Image>(store, events_)) {
    find_nodes(freed);
    find_roots();
    pointer_edges_ = edges(false);
    if (propagate_types())
        pointer_edges_ = edges(false); // types tell which zeros are NULL pointers
    if (scanned_)
        find_lost();
}

void Graph::find_nodes(bool freed) {
    store_.nodes().for_each([&](uint64_t id, const NodeRow &row) {
        if (row.birth > events_ || (!freed && row.death <= events_))
            return;
        GraphNode node;
        node.id = id;
        node.row = row;
        if (row.death > events_) { // not yet
            node.row.death = node.row.death_timestamp = never;
            node.row.free_stack = 0;
        }
        node.type = static_type(store_.tables(), row);
        nodes_.push_back(std::move(node));
    });
    std::stable_sort(nodes_.begin(), nodes_.end(), [](const GraphNode &a, const GraphNode &b) {
        return a.row.address < b.row.address;
    });
    heap_and_globals_ = nodes_.size();
    for (size_t i = 0; i < heap_and_globals_; ++i)
        if (nodes_[i].row.death == never)
            live_.add(nodes_[i].row.address, nodes_[i].row.size, uint32_t(i));
    live_.finish();
}

const GraphNode *Graph::find(uint64_t address) const {
    uint32_t number = live_.find(address);
    return number == LiveIndex::none ? nullptr : &nodes_[number];
}

void Graph::add_word(const GraphNode &node, uint64_t word, uint64_t value, uint8_t mask,
                     GraphEdge edge, bool data, std::vector<GraphEdge> &out) const {
    uint64_t first = std::max(word * 8, node.row.address);
    edge.source = node.id;
    edge.offset = first - node.row.address;
    bool whole = mask == 0xff;
    if (whole && value && pointers_.may_be_pointer(value)) {
        const GraphNode *target = find(value);
        Meaning meaning;
        if (target && target->row.birth <= edge.event)
            meaning = {target->id, value - target->row.address, EdgeState::live};
        else
            meaning = pointers_.meaning(value, edge.event, events_);
        edge.target = meaning.target;
        edge.target_offset = meaning.offset;
        edge.state = meaning.state;
    } else if (whole && !value &&
               is_pointer(store_.tables(), field_type(store_.tables(), node.type, edge.offset))) {
        edge.state = EdgeState::null;
    }
    if (edge.state == EdgeState::data && !data)
        return;
    uint64_t end = std::min(word * 8 + 8, node.row.address + node.row.size);
    edge.size = uint32_t(end - first);
    unsigned shift = unsigned(first - word * 8) * 8;
    edge.value = value >> shift;
    if (edge.size < 8)
        edge.value &= (uint64_t(1) << (8 * edge.size)) - 1;
    out.push_back(edge);
}

void Graph::add_edges(const GraphNode &node, bool data, std::vector<GraphEdge> &out) const {
    const NodeRow &row = node.row;
    uint64_t since = store_.contents_since(row);
    bool zeroed = row.flags & Birth::zeroed;
    uint64_t end = row.address + row.size;
    for (uint64_t word = row.address / 8; word * 8 < end; ++word) {
        const ImagePage *page = image_->page(word);
        uint64_t i = word % image_page_words;
        uint8_t inside = mask_of(row.address, end, word);
        bool written = page && page->mask[i] & inside && page->event[i] >= since;
        if (!written && !(zeroed && (data || node.type)))
            continue;
        GraphEdge edge;
        uint64_t value = 0;
        uint8_t mask = inside;
        if (written) {
            value = page->value[i];
            edge.event = page->event[i];
            edge.site = page->site[i];
            edge.initial = page->initial[i];
            mask = zeroed ? 0xff : page->mask[i];
        } else {
            edge.event = row.birth;
            edge.initial = true;
        }
        add_word(node, word, value, mask, edge, data, out);
    }
}

// The memory of a freed node may be another's by now: look its words up as of its end.
void Graph::add_freed_edges(const GraphNode &node, bool data, std::vector<GraphEdge> &out) const {
    const NodeRow &row = node.row;
    uint64_t since = store_.contents_since(row);
    for (uint64_t word = row.address / 8; word * 8 < row.address + row.size; ++word) {
        WordState state = store_.word(word, row.death - row.is_event(), since);
        if (!state.mask)
            continue;
        GraphEdge edge;
        edge.event = state.event;
        edge.site = state.site;
        edge.initial = state.initial;
        add_word(node, word, state.value, state.mask, edge, data, out);
    }
}

std::vector<GraphEdge> Graph::edges_between(size_t first, size_t end, bool data) const {
    std::vector<GraphEdge> out;
    for (size_t i = first; i < end; ++i) {
        if (nodes_[i].row.death == never)
            add_edges(nodes_[i], data, out);
        else
            add_freed_edges(nodes_[i], data, out);
    }
    return out;
}

std::vector<GraphEdge> Graph::edges(bool data) const {
    size_t middle = heap_and_globals_ / 2;
    auto upper = std::async(std::launch::async,
                            [&] { return edges_between(middle, heap_and_globals_, data); });
    std::vector<GraphEdge> out = edges_between(0, middle, data);
    std::vector<GraphEdge> rest = upper.get();
    out.insert(out.end(), rest.begin(), rest.end());
    out.insert(out.end(), root_edges_.begin(), root_edges_.end());
    return out;
}

void Graph::find_roots() {
    uint64_t next = store_.nodes().size() + 1;
    for (const ScannedWord &word : scanned_words(store_, at_, scanned_)) {
        const GraphNode *target = find(word.value);
        if (!target || target->row.kind != NodeKind::heap)
            continue;
        GraphNode root;
        root.id = next++;
        root.root = true;
        root.name = word.name;
        root.row.address = word.address;
        root.row.size = 8;
        root.row.birth_timestamp = at_;
        nodes_.push_back(std::move(root));
        GraphEdge edge;
        edge.source = nodes_.back().id;
        edge.value = word.value;
        target = find(word.value); // push_back may have moved it
        edge.target = target->id;
        edge.target_offset = word.value - target->row.address;
        edge.state = EdgeState::live;
        edge.event = events_;
        edge.initial = true;
        root_edges_.push_back(edge);
    }
}

// A node of unknown type that a typed field points to has the type that the field promises.
bool Graph::propagate_types() {
    const Tables &tables = store_.tables();
    const std::vector<GraphEdge> &edges = pointer_edges_;
    bool any = false;
    if (tables.types.size() <= 1)
        return any;
    std::vector<uint32_t> index; // by node id
    index.resize(store_.nodes().size() + 1);
    for (uint32_t i = 0; i < heap_and_globals_; ++i)
        index[nodes_[i].id] = i + 1;
    std::vector<std::pair<uint32_t, uint32_t>> span(heap_and_globals_); // edges of each node
    for (uint32_t i = 0; i < edges.size(); ++i) {
        if (edges[i].source >= index.size())
            continue;
        auto &[first, end] = span[index[edges[i].source] - 1];
        if (first == end)
            first = i;
        end = i + 1;
    }
    std::deque<uint32_t> typed;
    for (uint32_t i = 0; i < heap_and_globals_; ++i)
        if (nodes_[i].type)
            typed.push_back(i);
    while (!typed.empty()) {
        uint32_t at = typed.front();
        typed.pop_front();
        for (uint32_t i = span[at].first; i < span[at].second; ++i) {
            const GraphEdge &edge = edges[i];
            if (edge.state != EdgeState::live || edge.target_offset || edge.target >= index.size())
                continue;
            GraphNode &target = nodes_[index[edge.target] - 1];
            if (target.type || target.row.kind != NodeKind::heap)
                continue;
            TypeId field = field_type(tables, nodes_[at].type, edge.offset);
            if (!is_pointer(tables, field))
                continue;
            TypeId promised = tables.types[field].target;
            if (!promised || promised >= tables.types.size() || !tables.types[promised].size ||
                tables.types[promised].size > target.row.size)
                continue;
            target.type = promised;
            any = true;
            typed.push_back(index[edge.target] - 1);
        }
    }
    return any;
}

void Graph::find_lost() {
    std::vector<uint32_t> index(store_.nodes().size() + 1);
    for (uint32_t i = 0; i < heap_and_globals_; ++i)
        index[nodes_[i].id] = i + 1;
    std::vector<std::vector<uint32_t>> targets(heap_and_globals_);
    std::vector<bool> reached(heap_and_globals_);
    std::vector<uint32_t> todo;
    auto reach = [&](uint32_t i) {
        if (!reached[i]) {
            reached[i] = true;
            todo.push_back(i);
        }
    };
    for (const GraphEdge &edge : pointer_edges_) {
        if (edge.state != EdgeState::live || edge.target >= index.size())
            continue;
        uint32_t target = index[edge.target] - 1;
        if (edge.source >= index.size())
            reach(target);
        else
            targets[index[edge.source] - 1].push_back(target);
    }
    for (uint32_t i = 0; i < heap_and_globals_; ++i)
        if (nodes_[i].row.kind == NodeKind::global)
            reach(i);
    while (!todo.empty()) {
        uint32_t at = todo.back();
        todo.pop_back();
        for (uint32_t target : targets[at])
            reach(target);
    }
    for (uint32_t i = 0; i < heap_and_globals_; ++i)
        nodes_[i].lost = !reached[i] && nodes_[i].row.death == never;
}

} // namespace heapstory
