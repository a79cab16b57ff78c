// Lists of events and discoveries: what is written is read again, also by what reads format 6.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/input/translate.h"
#include "format/container/chunk.h"
#include "heapstory_wire.h"

#include "catch.h"
#include <cstring>

using namespace heapstory;

namespace {

Bytes encoded(const EventLists &lists) {
    SlotEncoder slots;
    uint32_t head = 0;
    return encode_events(lists, slots, head);
}

} // namespace

TEST_CASE("births and deaths survive with who gave out and who took back") {
    EventLists lists;
    Birth birth;
    birth.address = 0x1000;
    birth.size = 24;
    birth.allocator = Allocator::new_array;
    birth.flags = Birth::zeroed;
    lists.births.push_back(birth);
    birth.allocator = Allocator::split;
    lists.births.push_back(birth);
    lists.deaths = {{3, 1, 7, Deallocator::delete_array}, {4, 2, 0, Deallocator::realloc}};

    const Bytes payload = encoded(lists);
    EventsView view(payload);
    CHECK(view.births()[0].allocator == Allocator::new_array);
    CHECK(view.births()[0].flags == Birth::zeroed);
    CHECK(view.births()[1].allocator == Allocator::split);
    std::vector<Death> deaths = view.deaths();
    REQUIRE(deaths.size() == 2);
    CHECK((deaths[0].event == 3 && deaths[0].node == 1 && deaths[0].stack == 7));
    CHECK(deaths[0].deallocator == Deallocator::delete_array);
    CHECK(deaths[1].deallocator == Deallocator::realloc);
}

TEST_CASE("deaths without their last column, as format 6 has them, are read") {
    EventLists lists;
    lists.deaths = {{3, 1, 7, Deallocator::free}};
    Bytes payload = encoded(lists);
    SectionTable table;
    std::memcpy(&table, payload.data(), sizeof table);
    SectionTable::Entry &section = table.entries[size_t(Section::deaths)];
    ByteWriter last;
    ByteWriter column;
    column.varint(uint64_t(Deallocator::free));
    pack(last, column.bytes);
    section.length -= last.bytes.size();
    std::memcpy(payload.data(), &table, sizeof table);

    std::vector<Death> deaths = EventsView(payload).deaths();
    REQUIRE(deaths.size() == 1);
    CHECK((deaths[0].event == 3 && deaths[0].node == 1 && deaths[0].stack == 7));
    CHECK(deaths[0].deallocator == Deallocator::unknown);
}

TEST_CASE("the words of a scan survive in the text of its mark") {
    const ScanWord words[] = {{3, 0x4a00000}, {0x1ffefff000, 0}};
    std::vector<ScanWord> read = decode_scan(encode_scan(words));
    REQUIRE(read.size() == 2);
    CHECK((read[0].where == 3 && read[0].value == 0x4a00000));
    CHECK((read[1].where == 0x1ffefff000 && read[1].value == 0));
    CHECK(decode_scan("").empty());
    CHECK(decode_scan("cut off").empty());
}

TEST_CASE("discoveries survive; what follows the last list is left alone") {
    Discoveries found;
    found.ends = {{5, EndKind::unmapped}};
    found.suspicions = {{9, SuspicionKind::walk, true, 2, 0x2000, 8, 0x1ff8, 3, 4}};
    found.counts = {{CountKind::bad_free, 12}};
    found.candidates = {{CandidateKind::takes, 1, 0x400, 64, 100}};
    Bytes payload = encode_discoveries(found);
    payload.push_back(0); // one list more in format 6
    Discoveries read;
    decode_discoveries(payload, read);
    REQUIRE((read.ends.size() == 1 && read.suspicions.size() == 1));
    CHECK((read.ends[0].node == 5 && read.ends[0].how == EndKind::unmapped));
    CHECK(read.suspicions[0].kind == SuspicionKind::walk);
    CHECK((read.suspicions[0].possible && read.suspicions[0].reached == 4));
    CHECK(read.counts.at(0).what == CountKind::bad_free);
    CHECK(read.candidates.at(0).kind == CandidateKind::takes);
}

TEST_CASE("the recorder's numbers mean something in the format, or nothing is known") {
    CHECK(allocator_of(HSW_CALLOC) == Allocator::calloc);
    CHECK(allocator_of(77) == Allocator::unknown);
    CHECK(deallocator_of(HSW_MALLOC) == Deallocator::free);
    CHECK(deallocator_of(HSW_NEW) == Deallocator::delete_);
    CHECK(deallocator_of(HSW_CALLOC) == Deallocator::unknown);
    CHECK(discovery_of(HSW_NODE_KEPT) == Allocator::kept);
    CHECK(end_of(HSW_END_REALLOCATED) == EndKind::reallocated);
    CHECK(suspicion_of(HSW_SUSPICION_STALE) == SuspicionKind::stale);
    CHECK(count_of(0) == CountKind::unknown);
    CHECK(marked_by(HSW_CPOINT_OPTION) == MarkedBy::option);
    const hsw_scan_word word = {5, 6};
    auto words = scan_words({reinterpret_cast<const uint8_t *>(&word), sizeof word});
    REQUIRE(words.size() == 1);
    CHECK((words[0].where == 5 && words[0].value == 6));
}
