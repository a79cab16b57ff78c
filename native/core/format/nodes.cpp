// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/nodes.h"

#include "format/chunk.h"
#include "format/discoveries.h"
#include "heapstory_wire.h"

#include <algorithm>

namespace heapstory {

namespace {

constexpr uint64_t block_nodes = NodeTable::block_nodes;
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
        columns[8].varint(uint64_t(row.kind) | row.allocator << 1 | row.flags << 5);
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
    header_.nested |= row.allocator == HSW_CUSTOM || row.allocator == (discovered | HSW_NODE_SPLIT);
    header_.low = std::min(header_.low, row.address);
    header_.high = std::max(header_.high, row.address + std::max<uint64_t>(row.size, 1));
    if (row.size <= small_size) {
        small_.emplace_back(uint32_t(row.address >> page_bits),
                            node << 28 | (row.address & 4095) << 16 | row.size);
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

Bytes NodeEncoder::finish() {
    finish_block();
    auto small_pages = index_pages(small_, [](uint64_t entry) { return entry; });
    auto large_regions = index_pages(large_, [](const LargeEntry &entry) { return entry.node; });
    header_.blocks = blocks_.size();
    header_.small_pages = small_pages.size();
    header_.large_regions = large_regions.size();
    header_.small_entries = small_.size();
    header_.large_entries = large_.size();
    ByteWriter out;
    out.bytes.reserve(sizeof header_ + blocks_.size() * sizeof(NodeBlock) +
                      (small_pages.size() + large_regions.size()) * sizeof(PageRange) +
                      small_.size() * sizeof(uint64_t) + large_.size() * sizeof(LargeEntry) +
                      bodies_.bytes.size());
    out.fixed(header_);
    out.raw(bytes_of(blocks_));
    out.raw(bytes_of(small_pages));
    out.raw(bytes_of(large_regions));
    for (const auto &[page, entry] : small_)
        out.fixed(entry);
    for (const auto &[region, entry] : large_)
        out.fixed(entry);
    out.raw(bodies_.bytes);
    return std::move(out.bytes);
}

NodeTable::NodeTable(ByteSpan payload) {
    open(payload);
}

NodeTable::NodeTable(Bytes payload) : kept_(std::move(payload)) {
    open(kept_);
}

void NodeTable::open(ByteSpan payload) {
    ByteReader in(payload);
    header_ = in.fixed<NodesHeader>();
    blocks_ = take<NodeBlock>(in, header_.blocks);
    small_pages_ = take<PageRange>(in, header_.small_pages);
    large_regions_ = take<PageRange>(in, header_.large_regions);
    small_ = take<uint64_t>(in, header_.small_entries);
    large_ = take<LargeEntry>(in, header_.large_entries);
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
        row.allocator = bits >> 1 & 15;
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

// Nodes born by `newest` that hold the address, youngest first within each list; `visit` says
// whether to go on.
template <class Visit>
void NodeTable::candidates(uint64_t address, uint64_t newest, Visit visit) const {
    uint64_t page = address >> page_bits;
    for (uint64_t p : {page, page - 1}) {
        auto entries = entries_of(small_pages_, small_, p);
        auto end = std::upper_bound(entries.begin(), entries.end(), newest,
                                    [](uint64_t n, uint64_t entry) { return n < entry >> 28; });
        while (end != entries.begin()) {
            uint64_t entry = *--end;
            uint64_t start = p << page_bits | (entry >> 16 & 4095);
            uint64_t size = std::max<uint64_t>(entry & 0xffff, 1);
            if (address - start < size && !visit(entry >> 28))
                break;
        }
    }
    auto entries = entries_of(large_regions_, large_, address >> region_bits);
    auto end = std::upper_bound(entries.begin(), entries.end(), newest,
                                [](uint64_t n, const LargeEntry &entry) { return n < entry.node; });
    while (end != entries.begin()) {
        const LargeEntry &entry = *--end;
        if (address - entry.address < entry.size && !visit(entry.node))
            break;
    }
}

uint64_t NodeTable::find_last(uint64_t address, uint64_t n) const {
    uint64_t best = 0;
    candidates(address, born_by(n), [&](uint64_t node) {
        best = std::max(best, node);
        return false;
    });
    return best;
}

NodeTable::Holders NodeTable::holders(uint64_t address, uint64_t stored, uint64_t now) const {
    Holders found;
    found.born = born_by(stored);
    uint64_t newest = now == stored ? found.born : born_by(now);
    candidates(address, std::max(newest, found.born), [&](uint64_t node) {
        NodeRow row = get(node);
        if (node <= newest && row.alive_after(now))
            found.now = std::max(found.now, node);
        if (node > found.born)
            return true;
        found.last = std::max(found.last, node);
        if (row.alive_after(stored))
            found.then = std::max(found.then, node);
        return header_.nested && (found.now < node || found.then < node);
    });
    return found;
}

uint64_t NodeTable::find(uint64_t address, uint64_t n) const {
    uint64_t best = 0;
    candidates(address, born_by(n), [&](uint64_t node) {
        bool alive = get(node).alive_after(n);
        if (alive)
            best = std::max(best, node);
        // Without nesting, a block that came later shows that an older one is gone.
        return !alive && header_.nested;
    });
    return best;
}

} // namespace heapstory
