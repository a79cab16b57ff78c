// The store: columns, memory and work for all cores, and questions put to a small trace.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/recording.h"
#include "format/container/trace_file.h"
#include "heapstory_wire.h"
#include "store/memory.h"
#include "store/on_demand.h"
#include "store/parallel.h"
#include "store/store.h"
#include "store/table.h"

#include "catch.h"
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

using namespace heapstory;

namespace {

constexpr uint64_t base = 0x4a00000;

class Folder {
  public:
    Folder() { REQUIRE(mkdtemp(name_)); }
    ~Folder() { std::filesystem::remove_all(name_); }
    std::string path() const { return name_; }

  private:
    char name_[32] = "/tmp/heapstory-store-XXXXXX";
};

void put(Bytes &out, uint64_t first, uint64_t value) {
    for (uint64_t word : {first, value}) {
        const auto *bytes = reinterpret_cast<const uint8_t *>(&word);
        out.insert(out.end(), bytes, bytes + sizeof word);
    }
}

// Stores of 8 bytes by one statement, as the recorder sends them.
void record(const std::string &folder, const std::vector<std::array<uint64_t, 2>> &stores) {
    Bytes records;
    put(records, HSW_WORD(HSW_SITE, 0x1000), HSW_SITE_VALUE(1, 8, HSW_SITE_STORE, HSW_SITE_OWN));
    for (const auto &[address, value] : stores)
        put(records, HSW_WORD(1, address), value);
    TraceWriter writer(folder);
    Recording recording(writer, {});
    recording.feed(ByteSpan(records));
    recording.close();
}

} // namespace

TEST_CASE("a word is what the events up to then left in it") {
    Folder folder;
    record(folder.path(), {{base, 7}, {base + 8, 9}, {base, 7}, {base, 8}});
    Store store(folder.path());

    CHECK(store.totals().events == 4);
    CHECK(store.totals().changes == 3);
    CHECK_FALSE(store.damage());
    CHECK(store.word(base / 8, 0, 0).mask == 0);
    CHECK(store.word(base / 8, 1, 0).value == 7);
    CHECK(store.word(base / 8, 3, 0).value == 7);
    CHECK(store.word(base / 8, 3, 0).event == 2);
    CHECK(store.word(base / 8, 4, 0).value == 8);
    CHECK(store.word(base / 8 + 1, 4, 0).value == 9);
    CHECK(store.word(base / 8, 4, 4).mask == 0); // nothing since then
}

TEST_CASE("a silent store is an event and a version, and no change") {
    Folder folder;
    record(folder.path(), {{base, 7}, {base + 8, 9}, {base, 7}, {base, 8}});
    Store store(folder.path());

    std::vector<uint64_t> timestamps;
    for (uint64_t event = 0; event < 4; ++event)
        timestamps.push_back(store.timestamp_of(event));
    CHECK(timestamps == std::vector<uint64_t>{1, 2, 2, 3});
    CHECK(store.is_change(1));
    CHECK_FALSE(store.is_change(2));
    CHECK(store.events_by(0) == 0);
    CHECK(store.events_by(2) == 3);
    CHECK(store.events_by(99) == 4);

    std::vector<uint64_t> values;
    for (const Version &version : store.versions(base, 8, 0, 4))
        values.push_back(version.value);
    CHECK(values == std::vector<uint64_t>{7, 7, 8});
    CHECK(store.versions(base, 8, 1, 3).size() == 1);
    CHECK(store.versions(base + 16, 8, 0, 4).empty());
}

TEST_CASE("a trace without its last bytes opens and says so") {
    Folder folder;
    record(folder.path(), {{base, 7}, {base, 8}});
    const std::string chunks = folder.path() + "/chunks";
    std::filesystem::resize_file(chunks, std::filesystem::file_size(chunks) - 8);
    Store store(folder.path());
    CHECK(store.damage());
    CHECK(store.word(base / 8, store.totals().events, 0).value == 8);
}

TEST_CASE("every piece of work is done once, whoever does it") {
    std::vector<std::atomic<int>> done(1000);
    in_parallel(done.size(), [&](size_t piece) { ++done[piece]; });
    CHECK(std::all_of(done.begin(), done.end(), [](const auto &count) { return count == 1; }));
    in_parallel(0, [](size_t) { FAIL("there was no work"); });
}

TEST_CASE("a piece of work that fails fails the whole") {
    auto work = [](size_t piece) {
        if (piece == 5)
            throw std::runtime_error("five");
    };
    CHECK_THROWS_WITH(in_parallel(100, work), "five");
}

TEST_CASE("what is made on demand is made once") {
    OnDemand<int> value;
    int made = 0;
    auto make = [&] { return ++made; };
    CHECK(value.get(make) == 1);
    CHECK(value.get(make) == 1);
    CHECK(made == 1);
}

TEST_CASE("rows that hold nothing are told by a bit, and cost none before the first") {
    Validity valid;
    for (int row = 0; row < 70; ++row)
        valid.add(true);
    CHECK(valid.bits() == nullptr);
    valid.add(false);
    valid.add(true);
    CHECK(valid.nulls() == 1);
    CHECK(valid.rows() == 72);
    for (size_t row = 0; row < 72; ++row)
        CHECK(valid[row] == (row != 70));
}

TEST_CASE("texts of a column are told apart from none") {
    Column column;
    column.string_or_null("one");
    column.string_or_null("");
    column.string_or_null("three");
    CHECK(column.string_at(0) == "one");
    CHECK(column.string_at(2) == "three");
    CHECK_FALSE(column.valid[1]);
    Column copied;
    copied.copy(column, 2, ColumnType::text);
    copied.copy(column, 1, ColumnType::text);
    CHECK(copied.string_at(0) == "three");
    CHECK_FALSE(copied.valid[1]);
}

TEST_CASE("a table can be read any number of times") {
    Batch batch(1);
    batch[0].number(uint64_t(4));
    const TableData table = table_of({{"n"}}, batch);
    for (int time = 0; time < 2; ++time) {
        BatchSource source = table.open();
        const auto rows = source();
        REQUIRE(rows);
        CHECK(rows->rows() == 1);
        CHECK((*rows)[0].numbers[0] == 4);
        CHECK_FALSE(source());
    }
}

TEST_CASE("memory that was given back is zero again where that is asked for") {
    auto *memory = static_cast<unsigned char *>(map_huge(huge_page));
    memory[0] = memory[huge_page - 1] = 1;
    unmap_huge(memory, huge_page);
    auto *zeroed = static_cast<unsigned char *>(map_zeroed(huge_page));
    CHECK(std::all_of(zeroed, zeroed + huge_page, [](unsigned char byte) { return byte == 0; }));
    CHECK(uintptr_t(zeroed) % huge_page == 0);
    unmap_huge(zeroed, huge_page);
}
