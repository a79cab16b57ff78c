// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/window/window.h"

#include "graph/nodes/type_propagation.h"
#include "graph/nodes/types.h"

#include <algorithm>
#include <map>

namespace heapstory {

namespace {

constexpr uint64_t few_events = 2'000'000; // all of which are read at once

// Whether to read the lives of all nodes first, which takes as long as looking up what some
// hundredths as many words mean.
bool is_much(const Store &store, const std::vector<NodeMemory> &nodes) {
    uint64_t words = 0;
    for (const NodeMemory &node : nodes)
        words += node.row.size / 8;
    return words > 20'000 && words > store.nodes().size() / 8;
}

} // namespace

Window::Window(const Store &store, const Pointers &pointers, Beginnings &beginnings,
               WindowQuery query)
    : store_(store), pointers_(pointers), query_(std::move(query)),
      first_events_(store.events_by(query_.first)), last_events_(store.events_by(query_.last)),
      at_events_(query_.at == never ? last_events_ : store.events_by(query_.at)) {
    histories_ = std::make_unique<WordHistories>(store_, first_events_, last_events_,
                                                 query_.limits.zeroed_words);
    if (query_.which == WindowQuery::Which::around) {
        expect(beginnings, std::min(query_.limit, store_.nodes().size()));
        if (last_events_ - first_events_ <= few_events)
            histories_->gather_all();
        follow();
        fold();
    } else {
        std::vector<NodeMemory> nodes = chosen();
        if (query_.fields)
            expect(beginnings, nodes.size());
        read(std::move(nodes));
    }
    std::ranges::sort(rows_, {}, &Row::id);
    for (uint32_t row = 0; row < rows_.size(); ++row)
        row_of_[rows_[row].id] = row;
    find_types();
}

const Window::Row *Window::find(uint64_t id) const {
    auto found = row_of_.find(id);
    return found == row_of_.end() ? nullptr : &rows_[found->second];
}

std::vector<NodeMemory> Window::chosen() const {
    std::vector<NodeMemory> nodes;
    auto add = [&](uint64_t id, const NodeRow &row) {
        if (!lived(row))
            return;
        nodes.push_back({id, row});
        store_.discovered().restore(id, nodes.back().row, row.birth);
    };
    if (query_.which == WindowQuery::Which::all)
        store_.nodes().for_each(add);
    else
        for (uint64_t id : query_.nodes)
            add(id, store_.nodes().get(id));
    return nodes;
}

// So many nodes are going to be read.
void Window::expect(Beginnings &beginnings, uint64_t nodes) {
    if (auto beginning = beginnings.get(store_, first_events_, nodes))
        histories_->set_before(
            [beginning](uint64_t word, uint64_t since) { return beginning->word(word, since); });
}

void Window::read(std::vector<NodeMemory> nodes) {
    std::ranges::stable_sort(nodes, {}, [](const NodeMemory &node) { return node.row.address; });
    Group &group = groups_.emplace_back();
    group.nodes = std::move(nodes);
    const auto pieces = histories_->cut(group.nodes);
    group.parts.resize(pieces.size());
    std::vector<uint64_t> left_out(group.nodes.size());
    if (query_.fields)
        read_fields(group, pieces, left_out);
    for (uint32_t part = 0; part < pieces.size(); ++part) {
        const std::vector<FieldRecord> &fields = group.parts[part].fields;
        uint64_t next = 0;
        for (size_t index = pieces[part].first; index < pieces[part].end; ++index) {
            Row row{group.nodes[index].id, uint32_t(groups_.size() - 1), uint32_t(index), part};
            row.first = next;
            while (next < fields.size() && fields[next].node == index)
                ++next;
            row.end = next;
            if (auto found = distances_.find(row.id); found != distances_.end())
                row.distance = found->second;
            row.left_out = left_out[index];
            rows_.push_back(row);
        }
    }
}

// Counts the words of each node that are left out.
void Window::read_fields(Group &group, const std::vector<WordHistories::Piece> &pieces,
                         std::vector<uint64_t> &left_out) {
    const bool much = !has_lives_ && is_much(store_, group.nodes);
    if (!meanings_ || much)
        meanings_ = std::make_unique<Meanings>(
            store_, pointers_, much ? Meanings::Asked::much : Meanings::Asked::little);
    has_lives_ |= much;
    histories_->read(group.nodes, pieces, [&](size_t piece) -> WordHistories::Visit {
        auto finder = std::make_shared<RecordFinder>(store_, *meanings_);
        return [&, finder, piece](size_t node, uint64_t word, auto versions) {
            const NodeMemory &memory = group.nodes[node];
            left_out[node] +=
                !finder->add(memory, uint32_t(node), word, versions, last_events_,
                             is_wanted(memory.id, memory.row, word), group.parts[piece]);
        };
    });
}

// Types by declaration and allocation, then by what typed fields of the window tell.
void Window::find_types() {
    Values<GraphNode> nodes(rows_.size());
    for (size_t i = 0; i < rows_.size(); ++i) {
        nodes[i].id = rows_[i].id;
        nodes[i].row = memory(rows_[i]).row;
        nodes[i].type = node_type(store_.tables(), nodes[i].row);
    }
    std::vector<TypeHint> hints;
    for (uint32_t i = 0; i < rows_.size(); ++i) {
        const Records &found = records(rows_[i]);
        for (uint64_t field = rows_[i].first; field < rows_[i].end; ++field)
            for (uint64_t at = found.fields[field].first; at < found.fields[field].end; ++at) {
                const VersionRecord &made = found.versions[at];
                if (!made.target || made.target_offset || made.stale || made.is_meaning)
                    continue;
                auto target = row_of_.find(made.target);
                if (target != row_of_.end() && nodes[target->second].untyped())
                    hints.push_back(
                        {i, target->second, found.fields[field].word * 8 - nodes[i].row.address});
            }
    }
    std::vector<TypeHints> pieces;
    pieces.emplace_back(std::move(hints), 0, uint32_t(rows_.size()));
    if (store_.tables().types.size() > 1)
        propagate_types(store_.tables(), pieces, nodes);
    std::map<std::pair<TypeId, uint64_t>, uint32_t> numbers;
    for (size_t i = 0; i < rows_.size(); ++i) {
        rows_[i].type = nodes[i].type;
        if (!nodes[i].type)
            continue;
        auto [at, fresh] =
            numbers.try_emplace({nodes[i].type, nodes[i].row.size}, uint32_t(shapes_.size()));
        if (fresh)
            shapes_.push_back(at->first);
        rows_[i].shape = at->second + 1;
    }
}

std::vector<uint32_t> Window::sites() const {
    std::vector<bool> named(store_.tables().sites.size());
    auto name = [&](uint64_t site) {
        if (site < named.size())
            named[site] = true;
    };
    for (const Row &row : rows_) {
        const Records &found = records(row);
        for (uint64_t field = row.first; field < row.end; ++field)
            for (uint64_t at = found.fields[field].first; at < found.fields[field].end; ++at)
                name(found.versions[at].site);
        name(store_.tables().site_of_stack(memory(row).row.stack));
        name(store_.tables().site_of_stack(memory(row).row.free_stack));
    }
    std::vector<uint32_t> sites;
    for (uint32_t site = 1; site < named.size(); ++site)
        if (named[site])
            sites.push_back(site);
    return sites;
}

uint64_t Window::versions() const {
    uint64_t sum = 0;
    for (const Group &group : groups_)
        for (const Records &part : group.parts)
            for (const FieldRecord &field : part.fields)
                sum += field.end - field.first;
    return sum;
}

uint64_t Window::heap_words_left_out() const {
    uint64_t sum = 0;
    for (const Row &row : rows_)
        if (row.left_out && groups_[row.group].nodes[row.index].row.kind == NodeKind::heap)
            sum += row.left_out;
    return sum;
}

} // namespace heapstory
