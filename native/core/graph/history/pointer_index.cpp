// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/history/pointer_index.h"

#include "graph/edges/meanings.h"
#include "graph/history/word_histories.h"

#include <algorithm>

namespace heapstory {

namespace {

struct Found {
    uint64_t eldest = 0;
    StoredPointer pointer;
};

std::vector<NodeMemory> all_nodes(const Store &store) {
    std::vector<NodeMemory> nodes;
    nodes.reserve(store.nodes().size());
    store.nodes().for_each([&](uint64_t id, const NodeRow &row) {
        nodes.push_back({id, row});
        store.discovered().restore(id, nodes.back().row, row.birth);
    });
    std::ranges::stable_sort(nodes, {}, [](const NodeMemory &node) { return node.row.address; });
    return nodes;
}

// What a node's word pointed to, one version after the other.
class Finder {
  public:
    Finder(const Store &store, const Meanings &meanings) : store_(store), meanings_(meanings) {}

    void add(const NodeMemory &node, uint64_t word, std::span<const WordVersion> versions) {
        const NodeRow &row = node.row;
        if (word * 8 < row.address || word * 8 + 8 > row.address + row.size)
            return;
        for (size_t i = 0; i < versions.size(); ++i) {
            const WordVersion &version = versions[i];
            if (version.mask != 0xff || !meanings_.may_be_pointer(version.value))
                continue;
            Meaning meant = meanings_.meaning(version.value, version.stored(), version.stored());
            if (!meant.target)
                continue;
            uint64_t until = i + 1 < versions.size() ? versions[i + 1].stored() : row.death;
            until = std::min(until, row.death);
            if (until <= row.birth)
                continue; // it stood in an older node at the same address
            StoredPointer pointer;
            pointer.event = version.event;
            pointer.site = version.site;
            pointer.until = std::min<uint64_t>(until, StoredPointer::stays);
            pointer.value = version.value;
            pointer.source = node.id;
            pointer.set_word(word);
            found.push_back({store_.nodes().lineage().eldest(meant.target), pointer});
        }
    }
    std::vector<Found> found;

  private:
    const Store &store_;
    const Meanings &meanings_;
};

} // namespace

PointerIndex::PointerIndex(const Store &store, const Pointers &pointers) {
    const std::vector<NodeMemory> nodes = all_nodes(store);
    WordHistories histories(store, 0, store.totals().events, 0);
    const auto pieces = histories.cut(nodes);
    const Meanings meanings(store, pointers, Meanings::Asked::much);
    std::vector<Finder> finders(pieces.size(), Finder(store, meanings));
    histories.read(nodes, pieces, [&](size_t piece) -> WordHistories::Visit {
        return [&finder = finders[piece], &nodes](size_t node, uint64_t word, auto versions) {
            finder.add(nodes[node], word, versions);
        };
    });
    first_.assign(store.nodes().size() + 2, 0);
    for (const Finder &finder : finders)
        for (const Found &found : finder.found)
            ++first_[found.eldest + 1];
    for (size_t node = 1; node < first_.size(); ++node)
        first_[node] += first_[node - 1];
    stored_.resize(first_.back());
    Values<uint64_t> next(first_);
    for (Finder &finder : finders) {
        for (const Found &found : finder.found)
            stored_[next[found.eldest]++] = found.pointer;
        std::vector<Found>().swap(finder.found);
    }
    for (size_t node = 0; node + 1 < first_.size(); ++node)
        std::sort(stored_.begin() + ptrdiff_t(first_[node]),
                  stored_.begin() + ptrdiff_t(first_[node + 1]),
                  [](const StoredPointer &a, const StoredPointer &b) {
                      return a.value != b.value ? a.value < b.value : a.event < b.event;
                  });
}

std::span<const StoredPointer> PointerIndex::to(const Store &store, uint64_t node) const {
    uint64_t eldest = store.nodes().lineage().eldest(node);
    std::span<const StoredPointer> all{stored_.data() + first_[eldest],
                                       size_t(first_[eldest + 1] - first_[eldest])};
    const NodeRow row = memory_of(store, node).row;
    auto value = [](const StoredPointer &pointer) { return uint64_t(pointer.value); };
    auto low = std::ranges::lower_bound(all, row.address, {}, value);
    auto high =
        std::ranges::lower_bound(all, row.address + std::max<uint64_t>(row.size, 1), {}, value);
    return {low, high};
}

} // namespace heapstory
