// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/window/records.h"

#include <algorithm>

namespace heapstory {

uint64_t RecordFinder::owned_until(const NodeMemory &node, uint64_t word, uint64_t last) const {
    uint64_t end = std::min(node.row.death, last + 1);
    if (store_.nodes().lineage().empty())
        return end;
    auto owns = [&](uint64_t n) {
        NodeRow row = store_.nodes().get(node.id);
        store_.discovered().restore(node.id, row, n);
        return std::max(word * 8, row.address) < row.address + row.size;
    };
    uint64_t low = node.row.birth; // nodes only become smaller
    if (low >= end || owns(end - 1))
        return end;
    while (low < end) {
        uint64_t middle = low + (end - low) / 2;
        if (owns(middle))
            low = middle + 1;
        else
            end = middle;
    }
    return low;
}

bool RecordFinder::add(const NodeMemory &node, uint32_t index, uint64_t word,
                       std::span<const WordVersion> versions, uint64_t last, bool wanted,
                       Records &out) {
    const NodeRow &row = node.row;
    const bool whole = word * 8 >= row.address && word * 8 + 8 <= row.address + row.size;
    const uint64_t first = out.versions.size(), owned = owned_until(node, word, last);
    for (size_t i = 0; i < versions.size() && versions[i].stored() < owned; ++i) {
        uint64_t until = i + 1 < versions.size() ? versions[i + 1].stored() : owned;
        add_version(node, versions[i], whole, std::min(until, owned), out);
    }
    if (out.versions.size() == first)
        return true;                          // nothing to show, and nothing left out
    if (owned <= last && owned < row.death) { // split off
        VersionRecord gone;
        gone.event = owned;
        gone.is_meaning = true;
        out.versions.push_back(gone);
    }
    bool pointed = std::any_of(out.versions.begin() + ptrdiff_t(first), out.versions.end(),
                               [](const VersionRecord &made) { return made.target != 0; });
    if (!pointed && !wanted) {
        out.versions.resize(first);
        return false;
    }
    out.fields.push_back({index, word, first, out.versions.size()});
    return true;
}

void RecordFinder::add_version(const NodeMemory &node, const WordVersion &version, bool whole,
                               uint64_t until, Records &out) {
    const bool zeroed = version.initial && !version.site && node.row.flags & Birth::zeroed;
    VersionRecord made;
    made.event = version.event;
    made.site = version.site;
    made.value = version.value;
    made.known = version.mask;
    made.initial = version.initial;
    made.zeroed = zeroed;
    if (!whole || version.mask != 0xff || !meanings_.may_be_pointer(version.value)) {
        out.versions.push_back(made);
        return;
    }
    meanings_.turns(version.value, version.stored(), until, turns_);
    for (size_t i = 0; i < turns_.size(); ++i) {
        const Meanings::Turn &turn = turns_[i];
        if (i) {
            made.is_meaning = true;
            made.event = turn.from;
        }
        made.target = turn.meaning.target;
        made.target_offset = turn.meaning.offset;
        made.stale = turn.meaning.state == EdgeState::stale;
        made.by = turn.by;
        made.followed = turn.followed;
        out.versions.push_back(made);
    }
}

} // namespace heapstory
