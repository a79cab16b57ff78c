// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/edges/edge_finder.h"

#include "graph/nodes/gather_nodes.h"

#include "graph/nodes/types.h"

#include <algorithm>

namespace heapstory {

namespace {

uint8_t mask_of(uint64_t first, uint64_t end, uint64_t word) { // bytes [first, end) within a word
    uint64_t from = std::max(first, word * 8), to = std::min(end, word * 8 + 8);
    return from >= to ? 0 : shape_mask(make_shape(unsigned(from - word * 8), unsigned(to - from)));
}

constexpr size_t most_waiting = 64;

} // namespace

void EdgeFinder::add(const GraphNode &node, uint32_t index) {
    if (node.alive())
        add_live(node, index);
    else
        add_freed(node, index);
}

Batches EdgeFinder::finish() {
    flush();
    return out_.finish();
}

void EdgeFinder::add_live(const GraphNode &node, uint32_t index) {
    const NodeRow &row = node.row;
    bool zeroed = row.flags & Birth::zeroed;
    uint64_t end = row.address + row.size;
    const ImagePage *page = nullptr;
    for (uint64_t word = row.address / 8; word * 8 < end; ++word) {
        uint64_t i = word % image_page_words;
        if (!i || word == row.address / 8)
            page = at_.image.page(word);
        uint8_t inside = mask_of(row.address, end, word);
        Edge edge;
        if (page && page->mask[i] & inside &&
            page->words[i].event >= since(at_.store, node, std::max(word * 8, row.address))) {
            edge.event = page->words[i].event;
            edge.site = page->words[i].site;
            edge.initial = !edge.site;
            add_word(node, index, word, page->words[i].value, zeroed ? 0xff : page->mask[i], edge);
        } else if (zeroed && (data_ || node.type || (guesses_about(node)))) {
            edge.event = row.birth;
            edge.initial = true;
            add_word(node, index, word, 0, inside, edge);
        }
    }
}

// The memory of a freed node may be another's by now: look its words up as of its end.
void EdgeFinder::add_freed(const GraphNode &node, uint32_t index) {
    const NodeRow &row = node.row;
    for (uint64_t word = row.address / 8; word * 8 < row.address + row.size; ++word) {
        uint64_t own = since(at_.store, node, std::max(word * 8, row.address));
        WordState state = at_.store.word(word, row.death - row.is_event(), own);
        if (!state.mask)
            continue;
        Edge edge;
        edge.event = state.event;
        edge.site = state.site;
        edge.initial = state.initial;
        add_word(node, index, word, state.value, state.mask, edge);
    }
}

void EdgeFinder::add_word(const GraphNode &node, uint32_t index, uint64_t word, uint64_t value,
                          uint8_t mask, Edge edge) {
    if (!wanted_.may_be(value))
        return;
    const Tables &tables = at_.store.tables();
    uint64_t first = std::max(word * 8, node.row.address);
    uint64_t end = std::min(word * 8 + 8, node.row.address + node.row.size);
    edge.source = node.id;
    edge.offset = first - node.row.address;
    edge.size = uint32_t(end - first);
    edge.value = value >> (8 * (first - word * 8));
    if (edge.size < 8)
        edge.value &= (uint64_t(1) << (8 * edge.size)) - 1;

    bool whole = mask == 0xff && edge.size == 8;
    auto kind = Waiting::Kind::known;
    uint64_t starts = 0;
    if (whole && value && at_.pointers.may_be_pointer(value)) {
        kind = Waiting::Kind::pointer;
        starts = at_.live.starts_upto(value);
        at_.live.prefetch(starts);
    } else if (whole && !value && is_pointer(tables, field_type(tables, node.type, edge.offset))) {
        edge.state = EdgeState::null;
    } else if (whole && !value && guesses_about(node)) {
        edge.state = EdgeState::null;
        kind = Waiting::Kind::guess;
    } else if (!data_) {
        return;
    }
    at_.clock.prefetch(edge.event - (edge.initial && edge.event));
    waiting_.push_back({edge, starts, index, kind});
    if (waiting_.size() == most_waiting)
        flush();
}

void EdgeFinder::resolve(Waiting &waiting) {
    Edge &edge = waiting.edge;
    uint32_t found = at_.live.innermost(waiting.starts, edge.value);
    if (found != LiveIndex::none && at_.live[found].birth <= edge.stored()) {
        const LiveNode &target = at_.live[found];
        edge.target = target.id;
        edge.target_offset = edge.value - target.start;
        edge.state = EdgeState::live;
        if (target.untyped && !edge.target_offset)
            hints.push_back({waiting.index, at_.live.index(found), edge.offset});
        return;
    }
    Meaning meaning = at_.pointers.meaning(edge.value, edge.stored(), at_.events);
    edge.target = meaning.target;
    edge.target_offset = meaning.offset;
    edge.state = meaning.state;
}

void EdgeFinder::flush() {
    for (Waiting &waiting : waiting_) {
        if (waiting.kind == Waiting::Kind::pointer)
            resolve(waiting);
        const Edge &edge = waiting.edge;
        if ((edge.state == EdgeState::data && !data_) || !wanted_.is(edge.target))
            continue;
        out_.add(edge, edge.timestamp([this](uint64_t event) { return at_.clock.of(event); }));
        if (waiting.kind == Waiting::Kind::guess)
            guesses.push_back({out_.last(), waiting.index});
    }
    waiting_.clear();
}

} // namespace heapstory
