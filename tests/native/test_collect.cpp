// The collector against a model that looks at one byte at a time.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/recording.h"
#include "format/container/trace_file.h"
#include "heapstory_wire.h"

#include "catch.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <tuple>

using namespace heapstory;

namespace {

struct Store {
    uint64_t address = 0, value = 0;
    unsigned size = 8;
    uint32_t site = 0;
};

// Loops over arrays of all sorts, and stores here and there in the same few pages.
std::vector<Store> random_stores(std::mt19937_64 &random, size_t count) {
    constexpr uint64_t base = 0x4a00000;
    std::vector<Store> stores;
    while (stores.size() < count) {
        Store store;
        const unsigned kind = unsigned(random() % 4);
        store.site = 1 + uint32_t(random() % 16); // of 1, 2, 4 and 8 bytes, in turn
        store.size = 1u << (store.site - 1) % 4;
        store.address = base + random() % 20000;
        if (random() % 8)
            store.address -= store.address % store.size;
        const uint64_t stride = store.size * (random() % 6) - store.size * (random() % 3);
        const uint64_t length = random() % 3 ? 1 : random() % 600;
        for (uint64_t i = 0; i < length; ++i) {
            store.value = kind == 0 ? 7 : kind == 1 ? i : random() % (kind == 2 ? 200 : ~0ull);
            store.value &= ~uint64_t(0) >> (64 - 8 * store.size);
            stores.push_back(store);
            store.address += stride;
        }
    }
    return stores;
}

void put(Bytes &out, uint64_t first, uint64_t value) {
    for (uint64_t word : {first, value}) {
        const auto *bytes = reinterpret_cast<const uint8_t *>(&word);
        out.insert(out.end(), bytes, bytes + sizeof word);
    }
}

using Written = std::tuple<uint64_t, uint64_t, unsigned, uint64_t>; // event, address, size, value

// What each store leaves in each word, and whether it changed anything.
struct Model {
    std::vector<Written> written;
    std::vector<bool> changed;

    void store(const Store &store) {
        bool differs = false;
        for (unsigned i = 0; i < store.size; ++i) {
            uint64_t address = store.address + i;
            uint8_t byte = uint8_t(store.value >> 8 * i);
            auto [at, is_new] = bytes_.try_emplace(address, byte);
            differs |= is_new || at->second != byte;
            at->second = byte;
            if (i == 0 || address % 8 == 0)
                written.emplace_back(changed.size(), address, 0, 0);
            auto &[event, first, size, value] = written.back();
            value |= uint64_t(byte) << 8 * size++;
        }
        changed.push_back(differs);
    }

  private:
    std::map<uint64_t, uint8_t> bytes_;
};

} // namespace

TEST_CASE("stores are kept one by one, loops or not") {
    std::mt19937_64 random(11);
    const std::vector<Store> stores = random_stores(random, 200000);
    Bytes records;
    for (uint32_t site = 1; site <= 16; ++site)
        put(records, HSW_WORD(HSW_SITE, 0x1000 + site),
            HSW_SITE_VALUE(site, 1u << (site - 1) % 4, HSW_SITE_STORE, HSW_SITE_OWN));
    Model model;
    for (const Store &store : stores) {
        put(records, HSW_WORD(store.site, store.address), store.value);
        model.store(store);
    }

    char name[] = "/tmp/heapstory-collect-XXXXXX";
    REQUIRE(mkdtemp(name));
    {
        TraceWriter writer(name);
        Recording recording(writer, {});
        // Wherever the ring's segments end.
        for (size_t at = 0; at < records.size();) {
            size_t size = std::min<size_t>(16 * (1 + random() % 5000), records.size() - at);
            recording.feed(ByteSpan(records).subspan(at, size));
            at += size;
        }
        recording.close();
    }
    TraceFile trace(name);
    std::vector<Written> written;
    std::vector<bool> changed;
    std::vector<Slot> slots;
    for (size_t chunk = 0; chunk < trace.chunks().size(); ++chunk) {
        const ChunkHeader &header = trace.chunks()[chunk].header;
        if (ChunkKind(header.kind) != ChunkKind::events)
            continue;
        EventsView view(trace.payload(chunk));
        for (const SlotSegment &segment : view.segments()) {
            decode_segment(segment, view.slots(), slots);
            for (const Slot &slot : slots)
                written.emplace_back(header.first_event + slot.event,
                                     slot.word * 8 + shape_first(slot.shape),
                                     shape_size(slot.shape), slot.value);
        }
        std::vector<uint64_t> changes = view.changes();
        for (uint32_t event = 0; event < header.events; ++event)
            changed.push_back(changes[event / 64] >> event % 64 & 1);
    }
    std::filesystem::remove_all(name);
    std::sort(written.begin(), written.end());
    CHECK(written == model.written);
    CHECK(changed == model.changed);
}
