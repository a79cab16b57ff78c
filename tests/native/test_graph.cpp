// The pieces that graphs are put together from, against the plainest way to do the same.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/memory/range_cover.h"
#include "graph/nodes/live_index.h"
#include "store/table.h"

#include "catch.h"
#include <algorithm>
#include <random>

using namespace heapstory;

namespace {

GraphNode node_at(uint64_t address, uint64_t size, uint64_t id) {
    GraphNode node;
    node.id = id;
    node.row.address = address;
    node.row.size = size;
    return node;
}

// Apart from each other, or, nested, each fourth with smaller ones inside.
std::vector<GraphNode> some_nodes(std::mt19937_64 &random, bool nested) {
    std::vector<GraphNode> nodes;
    uint64_t at = 0x400000;
    for (uint64_t id = 1; id <= 400; ++id) {
        uint64_t size = id % 37 == 0 ? random() % 20000 : random() % 100;
        nodes.push_back(node_at(at, size, id));
        if (nested && id % 4 == 0)
            for (uint64_t inside = at; inside + 16 < at + size; inside += 16 + random() % 64)
                nodes.push_back(node_at(inside, 8 + random() % 8, 1000 + nodes.size()));
        at += std::max<uint64_t>(size, 1) + (id % 5 == 0 ? random() % 10000 : random() % 4);
    }
    return nodes;
}

} // namespace

TEST_CASE("the live node that holds an address is found") {
    std::mt19937_64 random(7);
    for (bool nested : {false, true}) {
        std::vector<GraphNode> nodes = some_nodes(random, nested);
        LiveIndex index;
        for (uint32_t at = 0; at < nodes.size(); ++at)
            index.add(nodes[at], at);
        index.finish();
        uint64_t first = nodes.front().row.address - 50, end = nodes.back().row.address + 200;
        for (uint64_t address = first; address < end; ++address) {
            uint32_t wanted = LiveIndex::none;
            for (uint32_t at = 0; at < nodes.size(); ++at)
                if (nodes[at].row.holds(address))
                    wanted = at; // later ones start further in
            if (index.find(address) != wanted)
                FAIL("address " << std::hex << address);
        }
        CHECK(index.find(0) == LiveIndex::none);
        CHECK(index.find(~uint64_t(0)) == LiveIndex::none);
    }
}

TEST_CASE("indices that are not the numbers are kept") {
    LiveIndex index;
    index.add(node_at(0x1000, 16, 1), 0);
    index.add(node_at(0x1010, 16, 2), 5);
    index.add(node_at(0x1020, 16, 3), 9);
    index.finish();
    CHECK(index.index(index.find(0x1008)) == 0);
    CHECK(index.index(index.find(0x1018)) == 5);
    CHECK(index.index(index.find(0x102f)) == 9);
}

TEST_CASE("of ranged stores the newest covers a word") {
    std::mt19937_64 random(11);
    for (unsigned round = 0; round < 50; ++round) {
        ChunkRanges found;
        for (uint32_t event = 0; event < 30; ++event) {
            Range range;
            range.event = event;
            range.address = 8 * (1000 + random() % 200);
            range.length = 8 * (1 + random() % 60);
            range.is_fill = true;
            found.ranges.push_back(range);
        }
        uint32_t events = uint32_t(random() % 31);
        uint64_t first = 1000 + random() % 50, end = first + random() % 250;
        RangeCover cover(found, events, first, end);
        uint64_t covered = 0;
        for (uint64_t word = 900; word < 1400; ++word) {
            const Range *wanted = nullptr;
            for (const Range &range : found.ranges)
                if (range.event < events && word >= first && word < end &&
                    word * 8 - range.address < range.length)
                    wanted = &range;
            CHECK(cover.find(word) == wanted);
            covered += wanted != nullptr;
        }
        uint64_t words = 0;
        for (const auto &[stop, piece] : cover.pieces())
            words += stop - piece.first;
        CHECK(words == covered);
    }
}

TEST_CASE("which rows hold something is told by bits") {
    std::mt19937_64 random(13);
    for (unsigned all_until : {0, 1, 63, 64, 65, 200}) {
        Validity valid;
        std::vector<bool> wanted;
        for (unsigned row = 0; row < 300; ++row) {
            wanted.push_back(row < all_until || random() % 2);
            valid.add(wanted.back());
        }
        CHECK(valid.rows() == wanted.size());
        CHECK(valid.nulls() == size_t(std::count(wanted.begin(), wanted.end(), false)));
        for (size_t row = 0; row < wanted.size(); ++row)
            CHECK(valid[row] == wanted[row]);
    }
    Validity none;
    none.add(true);
    CHECK(none.bits() == nullptr);
}
