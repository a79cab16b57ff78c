// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/pages.h"

#include <algorithm>

namespace heapstory {

void PageIndexBuilder::add(uint32_t chunk, std::span<const uint32_t> pages) {
    for (uint32_t page : pages)
        items_.push_back(uint64_t(page) << 32 | chunk);
}

Bytes PageIndexBuilder::encode() {
    std::sort(items_.begin(), items_.end());
    std::vector<PagePostings> pages;
    ByteWriter lists;
    uint64_t last = 0;
    for (uint64_t item : items_) {
        uint64_t page = item >> 32;
        if (pages.empty() || pages.back().page != page) {
            pages.push_back({page, lists.bytes.size()});
            last = 0;
        }
        uint64_t chunk = item & 0xffffffff;
        lists.varint(chunk - last);
        last = chunk;
    }
    ByteWriter out;
    out.fixed(uint64_t(pages.size()));
    for (const PagePostings &page : pages)
        out.fixed(page);
    out.raw(lists.bytes);
    return std::move(out.bytes);
}

PageIndex::PageIndex(ByteSpan payload) {
    open(payload);
}

PageIndex::PageIndex(Bytes payload) : kept_(std::move(payload)) {
    open(kept_);
}

void PageIndex::open(ByteSpan payload) {
    ByteReader in(payload);
    uint64_t count = in.fixed<uint64_t>();
    if (count > in.left() / sizeof(PagePostings))
        throw FormatError("damaged page index");
    ByteSpan table = in.raw(count * sizeof(PagePostings));
    pages_ = {reinterpret_cast<const PagePostings *>(table.data()), count};
    lists_ = in.raw(in.left());
}

std::vector<uint32_t> PageIndex::chunks(uint64_t page) const {
    auto at = std::lower_bound(pages_.begin(), pages_.end(), page,
                               [](const PagePostings &p, uint64_t n) { return p.page < n; });
    if (at == pages_.end() || at->page != page)
        return {};
    uint64_t end = at + 1 == pages_.end() ? lists_.size() : (at + 1)->offset;
    if (at->offset > end || end > lists_.size())
        throw FormatError("damaged page index");
    ByteReader in(lists_.subspan(at->offset, end - at->offset));
    std::vector<uint32_t> chunks;
    uint32_t last = 0;
    while (!in.done())
        chunks.push_back(last += uint32_t(in.varint()));
    return chunks;
}

} // namespace heapstory
