// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/moment/graph.h"

#include "graph/nodes/gather_nodes.h"
#include "graph/nodes/roots.h"
#include "graph/nodes/types.h"
#include "store/parallel.h"

#include <algorithm>

namespace heapstory {

Graph::Graph(const Store &store, const Pointers &pointers, uint64_t at, bool freed,
             const Wanted &wanted)
    : store_(store), pointers_(pointers), wanted_(wanted), at_(at), events_(store.events_by(at)),
      clock_(store) {
    std::vector<ScannedWord> scanned = scanned_words(store, at, scanned_);
    nodes_ = gather_nodes(store, events_, freed, scanned.size());
    heap_and_globals_ = nodes_.size();
    live_.reserve(nodes_.size());
    for (uint32_t index = 0; index < nodes_.size(); ++index)
        if (nodes_[index].alive())
            live_.add(nodes_[index], index);
    live_.finish();
    image_ = std::make_unique<Image>(store, events_, [this](uint64_t address) -> uint64_t {
        uint32_t found = live_.find(address);
        return found == LiveIndex::none ? 0 : since(store_, nodes_[live_.index(found)], address);
    });
    find_roots(scanned);
    find_pointers();
    if (scanned_ && !wanted_.node)
        find_lost(known(), pointer_edges_);
}

const std::string &Graph::name_of(const GraphNode &node) const {
    return node.root ? root_names_[node.root - 1] : store_.tables().text(node.row.name);
}

void Graph::find_roots(const std::vector<ScannedWord> &words) {
    uint64_t next = store_.nodes().size() + 1;
    for (const ScannedWord &word : words) {
        uint32_t found = live_.find(word.value);
        if (found == LiveIndex::none || nodes_[live_.index(found)].row.kind != NodeKind::heap)
            continue;
        root_names_.push_back(word.name);
        GraphNode root;
        root.id = next++;
        root.root = uint32_t(root_names_.size());
        root.row.address = word.address;
        root.row.size = 8;
        root.row.birth_timestamp = at_;
        nodes_.push_back(root);
        Edge edge;
        edge.source = root.id;
        edge.value = word.value;
        edge.target = live_[found].id;
        edge.target_offset = word.value - live_[found].start;
        edge.state = EdgeState::live;
        edge.event = events_;
        edge.initial = true;
        root_edges_.push_back(edge);
    }
}

// Pieces of about as much memory each.
std::vector<Graph::Piece> Graph::cut() const {
    auto work = [](const GraphNode &node) { return node.row.size / 8 + 4; };
    uint64_t total = 0, sum = 0;
    for (const GraphNode &node : known())
        total += work(node);
    uint64_t share = total / (2 * workers()) + 1;
    std::vector<Piece> pieces;
    for (size_t index = 0; index < heap_and_globals_; ++index) {
        if (sum >= share * pieces.size())
            pieces.push_back({index, index, {}, {}});
        sum += work(nodes_[index]);
        pieces.back().end = index + 1;
    }
    return pieces;
}

TypeHints Graph::find_edges(Piece &piece, bool data, bool guess) const {
    uint64_t words = 0;
    for (size_t index = piece.first; index < piece.end; ++index)
        words += nodes_[index].row.size / 8 + 2;
    EdgeFinder finder({store_, pointers_, events_, live_, *image_, clock_}, data, guess, wanted_,
                      words);
    for (size_t index = piece.first; index < piece.end; ++index)
        finder.add(nodes_[index], uint32_t(index));
    piece.edges = finder.finish();
    piece.guesses = std::move(finder.guesses);
    return {std::move(finder.hints), uint32_t(piece.first), uint32_t(piece.end)};
}

Batches Graph::gather(std::vector<Piece> pieces) const {
    Batches all;
    for (Piece &piece : pieces)
        all.insert(all.end(), piece.edges.begin(), piece.edges.end());
    EdgeWriter roots(root_edges_.size());
    for (const Edge &edge : root_edges_)
        if (wanted_.is(edge.target))
            roots.add(edge, at_);
    for (auto &batch : roots.finish())
        all.push_back(batch);
    return all;
}

Batches Graph::edges(bool data) const {
    std::vector<Piece> pieces = cut();
    in_parallel(pieces.size(), [&](size_t i) { find_edges(pieces[i], data, false); });
    return gather(std::move(pieces));
}

// Types follow from pointers, and which zeros are NULL pointers follows from types.
void Graph::find_pointers() {
    const Tables &tables = store_.tables();
    if (wanted_.node) {
        pointer_edges_ = edges(false);
        return;
    }
    std::vector<Piece> pieces = cut();
    bool any_types = tables.types.size() > 1;
    std::vector<TypeHints> hints(pieces.size());
    in_parallel(pieces.size(),
                [&](size_t i) { hints[i] = find_edges(pieces[i], false, any_types); });
    std::vector<uint32_t> typed = propagate_types(tables, hints, known());
    std::erase_if(typed, [&](uint32_t index) { return nodes_[index].row.size <= largest_guessed; });
    std::ranges::sort(typed);
    in_parallel(pieces.size(), [&](size_t i) {
        auto first = std::ranges::lower_bound(typed, pieces[i].first);
        if (first != typed.end() && *first < pieces[i].end)
            find_edges(pieces[i], false, false);
        else
            check_guesses(pieces[i]);
    });
    pointer_edges_ = gather(std::move(pieces));
}

void Graph::check_guesses(Piece &piece) const {
    const Tables &tables = store_.tables();
    std::vector<RowPosition> wrong;
    for (const EdgeFinder::Guess &guess : piece.guesses) {
        const Batch &batch = *piece.edges[guess.at.batch];
        uint64_t offset = batch[EdgeColumn::offset].numbers[guess.at.row];
        if (!is_pointer(tables, field_type(tables, nodes_[guess.node].type, offset)))
            wrong.push_back(guess.at);
    }
    drop_rows(piece.edges, wrong);
}

} // namespace heapstory
