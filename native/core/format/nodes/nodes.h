// All nodes of a trace in order of birth, and an index from addresses to them.
// SPDX-License-Identifier: GPL-2.0-or-later
//
//   NodesHeader | blocks: NodeBlock[] | index: IndexBlock[] | large regions: PageRange[] |
//   large entries: LargeEntry[] | index bodies | block bodies
//
// A block holds 512 nodes as packed columns. The index lists, for each 4-KiB page, the nodes of up
// to 4 KiB that start in it, in blocks of up to 512 (packed columns: distance from the node before,
// offset in the page, size), and for each 64-KiB region the larger nodes that touch it; both in
// order of birth.
#pragma once

#include "format/container/cache.h"
#include "format/events/events.h"
#include "format/nodes/lineage.h"

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heapstory {

constexpr uint64_t never = ~uint64_t(0);

struct NodeRow {
    uint64_t address = 0, size = 0;
    uint64_t birth = 0, birth_timestamp = 0;         // exists after so many events; timestamp
    uint64_t death = never, death_timestamp = never; // gone after so many events
    uint32_t stack = 0, free_stack = 0;
    uint32_t name = 0, type = 0;
    NodeKind kind = NodeKind::heap;
    Allocator allocator = Allocator::unknown;
    uint8_t flags = 0;

    bool alive_after(uint64_t n) const { return birth <= n && n < death; }
    // Whether birth and death are events of their own, not loads of a module or older than that.
    bool is_event() const { return kind == NodeKind::heap && !(flags & Birth::initial); }
    bool holds(uint64_t at) const { return at - address < (size ? size : 1); }
};

struct NodesHeader {
    uint64_t nodes = 0, blocks = 0, index_blocks = 0, large_regions = 0, large_entries = 0;
    uint64_t index_bytes = 0;
    uint64_t nested = 0;                   // some nodes lie inside others (custom allocators)
    uint64_t low = ~uint64_t(0), high = 0; // all nodes lie in between
};

struct NodeBlock {
    uint64_t first_birth = 0;
    uint64_t offset = 0;
};

struct IndexBlock { // by page, then by node
    uint32_t page = 0, entries = 0;
    uint64_t first_node = 0;
    uint64_t offset = 0; // in the index bodies
};

struct SmallEntry {
    uint64_t node = 0;
    uint32_t offset = 0, size = 0; // of its start in the page
};

struct PageRange {
    uint64_t page = 0;
    uint64_t first = 0; // entries up to the next range's first
};

struct LargeEntry {
    uint64_t node = 0, address = 0, size = 0;
};

// Builds the payload from nodes given in order of birth. Ids start at 1. Keeps little more than the
// payload.
class NodeEncoder {
  public:
    void add(const NodeRow &row);
    Bytes finish();

  private:
    struct Page {
        std::vector<SmallEntry> pending;
        std::vector<IndexBlock> blocks;
    };
    void finish_block();
    void finish_page(uint32_t number, Page &page);
    std::vector<IndexBlock> finish_index();

    NodesHeader header_;
    std::vector<NodeRow> pending_;
    std::vector<NodeBlock> blocks_;
    ByteWriter bodies_;
    ByteWriter index_bodies_;
    std::unordered_map<uint32_t, Page> pages_;
    std::vector<std::pair<uint32_t, LargeEntry>> large_; // by region
};

class NodeTable {
  public:
    NodeTable() = default;
    NodeTable(ByteSpan payload, Lineage lineage);
    NodeTable(Bytes payload, Lineage lineage); // keeps it

    const Lineage &lineage() const { return lineage_; }

    uint64_t size() const { return header_.nodes; } // ids are 1 .. size()
    NodeRow get(uint64_t node) const;
    // The innermost node that holds an address after n events, 0 if none.
    uint64_t find(uint64_t address, uint64_t n) const;
    // The newest node born within n events that holds the address, alive or not.
    uint64_t find_last(uint64_t address, uint64_t n) const;
    // All that can be meant by an address stored within `stored` events and looked at after `now`
    // events; 0: none.
    struct Holders {
        uint64_t now = 0, then = 0; // the innermost alive after `now` and after `stored` events
        uint64_t last = 0;          // the newest born within `stored` events
        uint64_t born = 0;          // how many were born by then
    };
    Holders holders(uint64_t address, uint64_t stored, uint64_t now) const;
    // Nodes are kept in blocks of so many ids; `rows` is filled with those of one block.
    static constexpr uint64_t block_nodes = 512;
    uint64_t blocks() const { return blocks_.size(); }
    void decode(uint64_t block, std::vector<NodeRow> &rows) const;
    template <class Visit> void for_each(Visit visit) const { // visit(id, row)
        std::vector<NodeRow> rows;
        for (uint64_t block = 0, id = 0; block < blocks(); ++block) {
            decode(block, rows);
            for (const NodeRow &row : rows)
                visit(++id, row);
        }
    }
    // All addresses that nodes ever held lie in [first, second).
    std::pair<uint64_t, uint64_t> bounds() const { return {header_.low, header_.high}; }
    // The largest id born within n events.
    uint64_t born_by(uint64_t n) const;

  private:
    using Block = std::vector<NodeRow>;
    void open(ByteSpan payload);
    std::shared_ptr<const Block> block(uint64_t number) const;
    void decode_index(uint64_t number, std::vector<SmallEntry> &entries) const;
    // Whether a node ever began on the address's page or the one before, or was large there.
    bool has_nodes_near(uint64_t address) const;
    template <class Visit>
    void small_candidates(uint64_t address, uint64_t page, uint64_t newest, Visit visit) const;
    template <class Visit> void last_holders(uint64_t address, uint64_t newest, Visit visit) const;
    template <class Visit> void candidates(uint64_t address, uint64_t newest, Visit visit) const;
    // Whether a younger node that holds an address does not show that the older ones are gone.
    bool overlaps() const { return header_.nested || !lineage_.empty(); }

    Bytes kept_;
    Lineage lineage_;
    NodesHeader header_;
    std::span<const NodeBlock> blocks_;
    std::span<const IndexBlock> index_;
    std::span<const PageRange> large_regions_;
    std::span<const LargeEntry> large_;
    ByteSpan index_bodies_, bodies_;
    mutable Cache<uint64_t, Block> cache_{2048};
    mutable Cache<uint64_t, std::vector<SmallEntry>> index_cache_{4096};
};

} // namespace heapstory
