// A trace without the past of what died, beside the whole one.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/recording.h"
#include "heapstory_wire.h"
#include "store/store.h"

#include "catch.h"
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>
#include <string>

using namespace heapstory;

namespace {

constexpr uint64_t heap = 0x4a00000, block_bytes = 64;

void put(Bytes &out, uint64_t first, uint64_t value) {
    for (uint64_t word : {first, value}) {
        const auto *bytes = reinterpret_cast<const uint8_t *>(&word);
        out.insert(out.end(), bytes, bytes + sizeof word);
    }
}

void put_error(Bytes &out, uint64_t block, uint32_t number) {
    hsw_error_report report = {};
    report.kind = HSW_UNADDRESSABLE_READ;
    report.address = block + 3;
    report.block = block;
    report.bytes = 1;
    report.number = number;
    put(out, HSW_WORD(HSW_ERROR, 0x1ffe000000), sizeof report);
    const auto *bytes = reinterpret_cast<const uint8_t *>(&report);
    out.insert(out.end(), bytes, bytes + sizeof report);
    out.resize((out.size() + 15) / 16 * 16);
    put(out, HSW_WORD(HSW_END, 0), 0);
}

// What a program does that uses the same few blocks again and again, in no order.
struct Program {
    Bytes records;
    std::set<uint64_t> live;
    std::mt19937_64 random;
    uint32_t errors = 0;

    explicit Program(uint64_t seed) : random(seed) {
        for (uint32_t site = 1; site <= 4; ++site)
            put(records, HSW_WORD(HSW_SITE, 0x1000 + site),
                HSW_SITE_VALUE(site, 5, HSW_SITE_CALL, HSW_SITE_OWN));
    }
    void step(unsigned blocks) {
        const uint64_t block = heap + random() % blocks * block_bytes;
        const uint64_t sp = 0x1ffe000100 - 16 * (random() % 3);
        put(records, HSW_WORD(HSW_CALL, sp), (1 + random() % 4) << HSW_ADDRESS_BITS);
        const unsigned what = unsigned(random() % 1000);
        if (what < 2)
            put_error(records, block, ++errors);
        else if (what < 4 && !live.contains(block))
            put(records, HSW_WORD(HSW_BAD_FREE, block + what % 2 * 8), uint64_t(HSW_MALLOC) << 56);
        else if (what < 5)
            put(records, HSW_WORD(HSW_SCAN, 1), uint64_t(HSW_SCAN_PARTS) << 56);
        else if (live.erase(block))
            put(records, HSW_WORD(HSW_FREE_BLOCK, block), allocator(what % 50 == 0));
        else if (what % 8 == 0 && !live.empty())
            move(block, *live.lower_bound(*live.begin()));
        else {
            live.insert(block);
            put(records, HSW_WORD(HSW_ALLOC, block), allocator(false) | size_at(block));
        }
    }

  private:
    // Always the same one: of earlier, larger blocks at a place nothing is known.
    static uint64_t size_at(uint64_t block) { return 1 + block / block_bytes % 48; }
    static uint64_t allocator(bool is_wrong) {
        return uint64_t(is_wrong ? HSW_NEW : HSW_MALLOC) << 56;
    }
    void move(uint64_t to, uint64_t from) {
        put(records, HSW_WORD(HSW_REALLOC, to), allocator(false) | size_at(to));
        put(records, HSW_WORD(HSW_REALLOC_OLD, from), size_at(from));
        live.erase(from);
        live.insert(to);
    }
};

// A folder with the trace of some records.
class Recorded {
  public:
    Recorded(const Bytes &records, const RecordingOptions &options) {
        REQUIRE(mkdtemp(name_));
        TraceWriter writer(name_);
        Recording recording(writer, options);
        recording.feed(records);
        mismatched = recording.bad_frees();
        recording.close();
    }
    ~Recorded() { std::filesystem::remove_all(name_); }
    std::string name() const { return name_; }
    uint64_t mismatched = 0;

  private:
    char name_[32] = "/tmp/heapstory-recent-XXXXXX";
};

std::string stack_of(const Store &store, uint32_t stack) {
    std::string sites;
    for (; stack; stack = store.tables().stacks[stack].parent)
        sites += " " + std::to_string(store.tables().stacks[stack].site);
    return sites;
}

// A block as it is after so many events.
std::string seen(const Store &store, uint64_t node, uint64_t events) {
    const NodeRow row = store.nodes().get(node);
    const std::string block = std::to_string(row.address - heap) + ": " + std::to_string(row.size) +
                              " bytes by" + stack_of(store, row.stack);
    return row.death <= events ? block + ", freed by" + stack_of(store, row.free_stack) : block;
}

// What can be asked at each mark of a trace: the block that it is about, and all that are alive.
std::vector<std::set<std::string>> answers(const Store &store) {
    std::vector<std::set<std::string>> found;
    for (uint32_t chunk : store.event_chunks())
        for (const Mark &mark : store.events(chunk).marks()) {
            const uint64_t events = store.header(chunk).first_event + mark.event;
            std::set<std::string> here;
            if (mark.kind == Mark::Kind::scan)
                for (uint64_t node = 1; node <= store.nodes().size(); ++node)
                    if (store.nodes().get(node).alive_after(events))
                        here.insert(seen(store, node, events));
            const uint64_t about =
                mark.kind == Mark::Kind::error ? decode_error(mark.text).block : mark.a;
            if (mark.kind != Mark::Kind::scan)
                if (const uint64_t node = store.nodes().find_last(about, events))
                    here.insert(seen(store, node, events));
            found.push_back(std::move(here));
        }
    return found;
}

} // namespace

TEST_CASE("what died unasked for is not written and all else is the same") {
    for (const auto &[blocks, steps] : {std::pair(40u, 4000u), {3000u, 60000u}}) {
        Program program(blocks);
        for (unsigned i = 0; i < steps; ++i)
            program.step(blocks);
        RecordingOptions options;
        Recorded whole(program.records, options);
        options.held_back = 1 << 20;
        options.redzone = 32;
        Recorded brief(program.records, options);
        const Store all(whole.name()), kept(brief.name());
        CHECK(whole.mismatched == brief.mismatched);
        const auto wanted = answers(all), found = answers(kept);
        REQUIRE(found.size() == wanted.size());
        for (size_t mark = 0; mark < wanted.size(); ++mark)
            REQUIRE(found[mark] == wanted[mark]);
        CHECK(kept.nodes().size() < all.nodes().size());
    }
}
