// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/nodes/discoveries.h"

#include "format/container/chunk.h"

#include <algorithm>
#include <tuple>

namespace heapstory {

namespace {

// The members of every row, in order, for the writer and for the reader.
constexpr auto members(const Origin &) {
    return std::tuple(&Origin::node, &Origin::source, &Origin::border);
}
constexpr auto members(const Extent &) {
    return std::tuple(&Extent::node, &Extent::address, &Extent::size);
}
constexpr auto members(const Merge &) {
    return std::tuple(&Merge::after, &Merge::from, &Merge::to, &Merge::site);
}
constexpr auto members(const Separation &) {
    return std::tuple(&Separation::after, &Separation::node, &Separation::site);
}
constexpr auto members(const NodeEnd &) {
    return std::tuple(&NodeEnd::node, &NodeEnd::how);
}
constexpr auto members(const Suspicion &) {
    return std::tuple(&Suspicion::after, &Suspicion::kind, &Suspicion::possible, &Suspicion::site,
                      &Suspicion::address, &Suspicion::bytes, &Suspicion::base, &Suspicion::node,
                      &Suspicion::reached);
}
constexpr auto members(const Count &) {
    return std::tuple(&Count::what, &Count::times);
}
constexpr auto members(const Candidate &) {
    return std::tuple(&Candidate::kind, &Candidate::site, &Candidate::address, &Candidate::bytes,
                      &Candidate::blocks);
}
constexpr auto members(const TrueBlock &) {
    return std::tuple(&TrueBlock::after, &TrueBlock::address, &TrueBlock::size,
                      &TrueBlock::is_free);
}

template <class Row> void write(ByteWriter &out, const std::vector<Row> &rows) {
    out.varint(rows.size());
    if (rows.empty())
        return;
    auto put = [&](auto member) {
        ByteWriter column;
        uint64_t last = 0;
        for (const Row &row : rows) {
            uint64_t value = uint64_t(row.*member);
            column.signed_varint(int64_t(value - last));
            last = value;
        }
        pack(out, column.bytes);
    };
    std::apply([&](auto... member) { (put(member), ...); }, members(rows.front()));
}

template <class Row> void read(ByteReader &in, std::vector<Row> &rows) {
    const uint64_t count = in.varint();
    if (!count)
        return;
    const size_t before = rows.size();
    auto take = [&](auto member) {
        Bytes bytes = unpack(in);
        if (count > bytes.size())
            throw FormatError("damaged list");
        rows.resize(before + count);
        ByteReader column(bytes);
        uint64_t last = 0;
        for (size_t i = before; i < rows.size(); ++i) {
            last += uint64_t(column.signed_varint());
            rows[i].*member = std::decay_t<decltype(rows[i].*member)>(last);
        }
    };
    std::apply([&](auto... member) { (take(member), ...); }, members(Row()));
}

// All lists of rows, in the order of the payload. Format 6 has another list behind them.
template <class Found, class Visit> void each_list(Found &found, Visit visit) {
    visit(found.origins);
    visit(found.extents);
    visit(found.merges);
    visit(found.separations);
    visit(found.ends);
    visit(found.suspicions);
    visit(found.counts);
    visit(found.candidates);
    visit(found.truth);
}

size_t rows_of(const Discoveries &found) {
    size_t rows = 0;
    each_list(found, [&](const auto &list) { rows += list.size(); });
    return rows;
}

} // namespace

bool Discoveries::empty() const {
    return rows_of(*this) == 0;
}

Bytes encode_discoveries(const Discoveries &found) {
    ByteWriter out;
    each_list(found, [&](const auto &list) { write(out, list); });
    return std::move(out.bytes);
}

void decode_discoveries(ByteSpan payload, Discoveries &found) {
    ByteReader in(payload);
    each_list(found, [&](auto &list) { read(in, list); });
}

Discoveries read_discoveries(const TraceFile &file) {
    Discoveries found;
    for (uint32_t number = 0; number < file.chunks().size(); ++number)
        if (file.chunks()[number].header.kind == uint16_t(ChunkKind::discoveries))
            decode_discoveries(file.payload(number), found);
    return found;
}

} // namespace heapstory
