// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/nodes/nodes.h"

#include "format/container/chunk.h"

#include <algorithm>

namespace heapstory {

namespace {

constexpr uint64_t block_nodes = NodeTable::block_nodes, index_entries = 512;
constexpr uint64_t small_size = 4096;
constexpr unsigned page_bits = 12, region_bits = 16;

void write_block(ByteWriter &out, std::span<const NodeRow> rows) {
    ByteWriter columns[9];
    NodeRow last;
    for (const NodeRow &row : rows) {
        columns[0].signed_varint(int64_t(row.address - last.address));
        columns[1].signed_varint(int64_t(row.size - last.size));
        columns[2].varint(row.birth - last.birth);
        columns[3].varint(row.birth_timestamp - last.birth_timestamp);
        columns[4].varint(row.death == never ? 0 : row.death - row.birth + 1);
        if (row.death != never)
            columns[5].varint(row.death_timestamp - row.birth_timestamp);
        columns[6].signed_varint(int64_t(row.stack) - int64_t(last.stack));
        columns[7].varint(row.free_stack);
        columns[8].varint(uint64_t(row.kind) | unsigned(row.allocator) << 1 | row.flags << 5);
        columns[8].varint(row.name);
        columns[8].varint(row.type);
        last = row;
    }
    for (const ByteWriter &column : columns)
        pack(out, column.bytes);
}

// Sorts entries by page, keeping the order of birth, and says where each page's begin.
template <class Entry, class Id>
std::vector<PageRange> index_pages(std::vector<std::pair<uint32_t, Entry>> &items, Id id) {
    std::sort(items.begin(), items.end(), [&](const auto &a, const auto &b) {
        return a.first != b.first ? a.first < b.first : id(a.second) < id(b.second);
    });
    std::vector<PageRange> ranges;
    for (uint64_t i = 0; i < items.size(); ++i)
        if (ranges.empty() || ranges.back().page != items[i].first)
            ranges.push_back({items[i].first, i});
    return ranges;
}

template <class T> ByteSpan bytes_of(const std::vector<T> &items) {
    return {reinterpret_cast<const uint8_t *>(items.data()), items.size() * sizeof(T)};
}

template <class T> std::span<const T> take(ByteReader &in, uint64_t count) {
    if (count > in.left() / sizeof(T))
        throw FormatError("damaged node table");
    return {reinterpret_cast<const T *>(in.raw(count * sizeof(T)).data()), count};
}

template <class Entry>
std::span<const Entry> entries_of(std::span<const PageRange> ranges, std::span<const Entry> entries,
                                  uint64_t page) {
    auto at = std::lower_bound(ranges.begin(), ranges.end(), page,
                               [](const PageRange &range, uint64_t p) { return range.page < p; });
    if (at == ranges.end() || at->page != page)
        return {};
    uint64_t end = at + 1 == ranges.end() ? entries.size() : (at + 1)->first;
    if (at->first > end || end > entries.size())
        throw FormatError("damaged node index");
    return entries.subspan(at->first, end - at->first);
}

} // namespace

void NodeEncoder::add(const NodeRow &row) {
    uint64_t node = ++header_.nodes;
    header_.nested |= row.allocator == Allocator::custom;
    header_.low = std::min(header_.low, row.address);
    header_.high = std::max(header_.high, row.address + std::max<uint64_t>(row.size, 1));
    if (row.size <= small_size) {
        uint32_t number = uint32_t(row.address >> page_bits);
        Page &page = pages_[number];
        page.pending.push_back({node, uint32_t(row.address & 4095), uint32_t(row.size)});
        if (page.pending.size() == index_entries)
            finish_page(number, page);
    } else {
        uint64_t last = (row.address + row.size - 1) >> region_bits;
        for (uint64_t region = row.address >> region_bits; region <= last; ++region)
            large_.emplace_back(uint32_t(region), LargeEntry{node, row.address, row.size});
    }
    pending_.push_back(row);
    if (pending_.size() == block_nodes)
        finish_block();
}

void NodeEncoder::finish_block() {
    if (pending_.empty())
        return;
    blocks_.push_back({pending_.front().birth, bodies_.bytes.size()});
    write_block(bodies_, pending_);
    pending_.clear();
}

// What the pages still hold becomes their last block.
void NodeEncoder::finish_page(uint32_t number, Page &page) {
    if (page.pending.empty())
        return;
    page.blocks.push_back({number, uint32_t(page.pending.size()), page.pending.front().node,
                           index_bodies_.bytes.size()});
    ByteWriter nodes, offsets, sizes;
    uint64_t last = page.pending.front().node;
    for (const SmallEntry &entry : page.pending) {
        nodes.varint(entry.node - last);
        offsets.varint(entry.offset >> 4 | (entry.offset & 15) << 8); // most are multiples of 16
        sizes.varint(entry.size);
        last = entry.node;
    }
    for (const ByteWriter *column : {&nodes, &offsets, &sizes})
        pack(index_bodies_, column->bytes);
    page.pending.clear();
}

std::vector<IndexBlock> NodeEncoder::finish_index() {
    std::vector<uint32_t> numbers;
    for (const auto &[number, page] : pages_)
        numbers.push_back(number);
    std::sort(numbers.begin(), numbers.end());
    std::vector<IndexBlock> index;
    for (uint32_t number : numbers) {
        Page &page = pages_[number];
        finish_page(number, page);
        index.insert(index.end(), page.blocks.begin(), page.blocks.end());
    }
    pages_.clear();
    return index;
}

Bytes NodeEncoder::finish() {
    finish_block();
    auto index = finish_index();
    auto large_regions = index_pages(large_, [](const LargeEntry &entry) { return entry.node; });
    header_.blocks = blocks_.size();
    header_.index_blocks = index.size();
    header_.large_regions = large_regions.size();
    header_.large_entries = large_.size();
    header_.index_bytes = index_bodies_.bytes.size();
    ByteWriter out;
    out.bytes.reserve(sizeof header_ + blocks_.size() * sizeof(NodeBlock) +
                      index.size() * sizeof(IndexBlock) + large_regions.size() * sizeof(PageRange) +
                      large_.size() * sizeof(LargeEntry) + index_bodies_.bytes.size() +
                      bodies_.bytes.size());
    out.fixed(header_);
    out.raw(bytes_of(blocks_));
    out.raw(bytes_of(index));
    out.raw(bytes_of(large_regions));
    for (const auto &[region, entry] : large_)
        out.fixed(entry);
    out.raw(index_bodies_.bytes);
    out.raw(bodies_.bytes);
    return std::move(out.bytes);
}

NodeTable::NodeTable(ByteSpan payload, Lineage lineage) : lineage_(std::move(lineage)) {
    open(payload);
}

NodeTable::NodeTable(Bytes payload, Lineage lineage)
    : kept_(std::move(payload)), lineage_(std::move(lineage)) {
    open(kept_);
}

void NodeTable::open(ByteSpan payload) {
    ByteReader in(payload);
    header_ = in.fixed<NodesHeader>();
    blocks_ = take<NodeBlock>(in, header_.blocks);
    index_ = take<IndexBlock>(in, header_.index_blocks);
    large_regions_ = take<PageRange>(in, header_.large_regions);
    large_ = take<LargeEntry>(in, header_.large_entries);
    index_bodies_ = in.raw(header_.index_bytes);
    bodies_ = in.raw(in.left());
    if (blocks_.size() != (header_.nodes + block_nodes - 1) / block_nodes)
        throw FormatError("damaged node table");
}

void NodeTable::decode(uint64_t number, Block &rows) const {
    uint64_t count = std::min(block_nodes, header_.nodes - number * block_nodes);
    if (blocks_[number].offset > bodies_.size())
        throw FormatError("damaged node table");
    ByteReader in(bodies_.subspan(blocks_[number].offset));
    thread_local Bytes columns[9];
    for (Bytes &column : columns)
        unpack_into(in, column, 0);
    ByteReader at[9];
    for (size_t i = 0; i < 9; ++i)
        at[i] = ByteReader(columns[i]);
    rows.resize(count);
    NodeRow last;
    for (NodeRow &row : rows) {
        row = {};
        row.address = last.address + uint64_t(at[0].signed_varint());
        row.size = last.size + uint64_t(at[1].signed_varint());
        row.birth = last.birth + at[2].varint();
        row.birth_timestamp = last.birth_timestamp + at[3].varint();
        if (uint64_t life = at[4].varint()) {
            row.death = row.birth + life - 1;
            row.death_timestamp = row.birth_timestamp + at[5].varint();
        }
        row.stack = uint32_t(int64_t(last.stack) + at[6].signed_varint());
        row.free_stack = uint32_t(at[7].varint());
        uint64_t bits = at[8].varint();
        row.kind = NodeKind(bits & 1);
        row.allocator = Allocator(bits >> 1 & 15);
        row.flags = uint8_t(bits >> 5);
        row.name = uint32_t(at[8].varint());
        row.type = uint32_t(at[8].varint());
        last = row;
    }
}

std::shared_ptr<const NodeTable::Block> NodeTable::block(uint64_t number) const {
    return cache_.get(number, [&](Block &rows) { decode(number, rows); });
}

NodeRow NodeTable::get(uint64_t node) const {
    return (*block((node - 1) / block_nodes))[(node - 1) % block_nodes];
}

uint64_t NodeTable::born_by(uint64_t n) const {
    auto after = std::upper_bound(blocks_.begin(), blocks_.end(), n,
                                  [](uint64_t e, const NodeBlock &b) { return e < b.first_birth; });
    if (after == blocks_.begin())
        return 0;
    uint64_t number = uint64_t(after - blocks_.begin()) - 1;
    auto rows = block(number);
    auto row = std::upper_bound(rows->begin(), rows->end(), n,
                                [](uint64_t e, const NodeRow &r) { return e < r.birth; });
    return number * block_nodes + uint64_t(row - rows->begin());
}

void NodeTable::decode_index(uint64_t number, std::vector<SmallEntry> &entries) const {
    const IndexBlock &block = index_[number];
    if (block.offset > index_bodies_.size() || block.entries > index_entries)
        throw FormatError("damaged node index");
    ByteReader in(index_bodies_.subspan(block.offset));
    Bytes columns[3];
    for (Bytes &column : columns)
        column = unpack(in);
    ByteReader nodes(columns[0]), offsets(columns[1]), sizes(columns[2]);
    entries.resize(block.entries);
    uint64_t node = block.first_node;
    for (SmallEntry &entry : entries) {
        entry.node = node += nodes.varint();
        uint64_t offset = offsets.varint();
        entry.offset = uint32_t((offset & 255) << 4 | (offset >> 8 & 15));
        entry.size = uint32_t(sizes.varint());
    }
}

template <class Visit>
void NodeTable::small_candidates(uint64_t address, uint64_t page, uint64_t newest,
                                 Visit visit) const {
    auto after =
        std::upper_bound(index_.begin(), index_.end(), std::pair(page, newest),
                         [](const auto &key, const IndexBlock &block) {
                             return key < std::pair(uint64_t(block.page), block.first_node);
                         });
    while (after != index_.begin() && (--after)->page == page) {
        uint64_t number = uint64_t(after - index_.begin());
        auto entries = index_cache_.get(
            number, [&](std::vector<SmallEntry> &found) { decode_index(number, found); });
        for (auto entry = entries->rbegin(); entry != entries->rend(); ++entry) {
            if (entry->node > newest)
                continue;
            uint64_t start = page << page_bits | entry->offset;
            if (address - start < std::max<uint64_t>(entry->size, 1) && !visit(entry->node))
                return;
        }
    }
}

// Nodes born by `newest` that hold the address in the end, youngest first within each list; `visit`
// says whether to go on.
template <class Visit>
void NodeTable::last_holders(uint64_t address, uint64_t newest, Visit visit) const {
    uint64_t page = address >> page_bits;
    small_candidates(address, page, newest, visit);
    small_candidates(address, page - 1, newest, visit);
    auto entries = entries_of(large_regions_, large_, address >> region_bits);
    auto end = std::upper_bound(entries.begin(), entries.end(), newest,
                                [](uint64_t n, const LargeEntry &entry) { return n < entry.node; });
    while (end != entries.begin()) {
        const LargeEntry &entry = *--end;
        if (address - entry.address < entry.size && !visit(entry.node))
            break;
    }
}

// Those that held it when no node after `newest` was born: what was split off later was theirs.
template <class Visit>
void NodeTable::candidates(uint64_t address, uint64_t newest, Visit visit) const {
    if (lineage_.empty())
        return last_holders(address, newest, visit);
    last_holders(address, size(), [&](uint64_t node) {
        uint64_t then = lineage_.youngest(node, newest);
        return !then || visit(then);
    });
}

bool NodeTable::has_nodes_near(uint64_t address) const {
    uint64_t page = address >> page_bits;
    auto first = std::lower_bound(index_.begin(), index_.end(), page - 1,
                                  [](const IndexBlock &b, uint64_t p) { return b.page < p; });
    return (first != index_.end() && first->page <= page) ||
           !entries_of(large_regions_, large_, address >> region_bits).empty();
}

uint64_t NodeTable::find_last(uint64_t address, uint64_t n) const {
    uint64_t best = 0;
    candidates(address, born_by(n), [&](uint64_t node) {
        best = std::max(best, node);
        return !lineage_.empty();
    });
    return best;
}

NodeTable::Holders NodeTable::holders(uint64_t address, uint64_t stored, uint64_t now) const {
    Holders found;
    if (!has_nodes_near(address)) // most numbers that are no pointers
        return found;
    found.born = born_by(stored);
    uint64_t newest = now == stored ? found.born : born_by(now);
    candidates(address, std::max(newest, found.born), [&](uint64_t node) {
        uint64_t now_node = lineage_.youngest(node, newest);
        if (now_node && get(now_node).alive_after(now))
            found.now = std::max(found.now, now_node);
        uint64_t then_node = lineage_.youngest(node, found.born);
        if (!then_node)
            return true;
        found.last = std::max(found.last, then_node);
        if (get(then_node).alive_after(stored))
            found.then = std::max(found.then, then_node);
        return overlaps() && (found.now < now_node || found.then < then_node);
    });
    return found;
}

uint64_t NodeTable::find(uint64_t address, uint64_t n) const {
    uint64_t best = 0;
    candidates(address, born_by(n), [&](uint64_t node) {
        bool alive = get(node).alive_after(n);
        if (alive)
            best = std::max(best, node);
        return !alive && overlaps();
    });
    return best;
}

} // namespace heapstory
