// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/discoveries.h"

#include "format/chunk.h"

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
    for (const Row &row : rows)
        std::apply([&](auto... member) { (out.varint(uint64_t(row.*member)), ...); }, members(row));
}

template <class Row> void read(ByteReader &in, std::vector<Row> &rows) {
    for (size_t left = in.count(); left; --left) {
        Row row;
        auto take = [&](auto &member) { member = std::decay_t<decltype(member)>(in.varint()); };
        std::apply([&](auto... member) { (take(row.*member), ...); }, members(row));
        rows.push_back(row);
    }
}

// All lists of rows, in the order of the payload.
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
    size_t rows = found.touched.size();
    each_list(found, [&](const auto &list) { rows += list.size(); });
    return rows;
}

} // namespace

bool Discoveries::empty() const {
    return rows_of(*this) == 0;
}

Bytes encode_discoveries(const Discoveries &found) {
    ByteWriter plain, out;
    each_list(found, [&](const auto &list) { write(plain, list); });
    plain.varint(found.touched.size());
    for (uint64_t node : found.touched)
        plain.varint(node);
    pack(out, plain.bytes);
    return std::move(out.bytes);
}

void decode_discoveries(ByteSpan payload, Discoveries &found) {
    ByteReader packed(payload);
    Bytes plain = unpack(packed);
    ByteReader in(plain);
    each_list(found, [&](auto &list) { read(in, list); });
    for (size_t left = in.count(); left; --left)
        found.touched.push_back(in.varint());
}

Discoveries read_discoveries(const TraceFile &file) {
    Discoveries found;
    for (uint32_t number = 0; number < file.chunks().size(); ++number)
        if (file.chunks()[number].header.kind == uint16_t(ChunkKind::discoveries))
            decode_discoveries(file.payload(number), found);
    return found;
}

} // namespace heapstory
