// Records of a field as whoever asks reads them: with timestamps, threads and states.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/window/records.h"
#include "store/table.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace heapstory {

enum class VersionKind : uint8_t { initial, zeroed, store, copy, fill, syscall, meaning };
enum class PointerState : uint8_t { live, dangling, aliased, stale, null, wild, data };
const std::vector<std::string> &kinds(); // the words for them
const std::vector<std::string> &states();

// Where a word lies in its node, and what its type says of it.
struct FieldPlace {
    uint64_t offset = 0;
    uint32_t size = 8;
    uint32_t shift = 0; // bits of the word before the node begins
    bool pointer = false, to_record = false;
};
FieldPlace place_of(const Tables &tables, TypeId type, const NodeRow &node, uint64_t word);

struct FieldVersion {
    uint64_t from = 0, stored = 0; // timestamps
    VersionKind kind = VersionKind::store;
    bool silent = false;
    uint64_t value = 0;
    uint32_t known = 0;
    PointerState state = PointerState::data;
    uint64_t target = 0, target_offset = 0, by = 0;
    uint32_t site = 0, thread = 0; // 0: none
};

class FieldReader {
  public:
    explicit FieldReader(const Store &store) : store_(store), clock_(store) {}
    template <class Visit>
    void read(const FieldPlace &place, std::span<const VersionRecord> records, Visit visit) const {
        FieldVersion version;
        for (const VersionRecord &record : records) {
            fill(place, record, version);
            visit(version);
        }
    }

  private:
    void fill(const FieldPlace &place, const VersionRecord &record, FieldVersion &version) const;
    uint64_t timestamp_after(uint64_t n) const { return n ? clock_.of(n - 1) : 0; }

    const Store &store_;
    Clock clock_;
};

void add_version(Batch &out, const FieldVersion &version); // columns of Window::version_columns

} // namespace heapstory
