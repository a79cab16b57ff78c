// Which nodes a window has that begins at some: along their pointers, so many and no more.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/window/window.h"

#include <algorithm>

namespace heapstory {

// Nearest first, along the pointers of the moment that comes first, then along all that stood at
// some moment of the window, which get at least a quarter.
void Window::follow() {
    if (query_.at != never)
        walk(Followed::now, query_.limit - query_.limit / 4);
    walk(Followed::ever, query_.limit);
}

void Window::walk(Followed followed, uint64_t limit) {
    std::vector<Found> front;
    for (uint64_t id : query_.nodes)
        if (is_start(memory_of(store_, id).row, followed))
            front.emplace_back(id, 0);
    add_targets(0, followed, front);
    while (distances_.size() < limit) {
        std::vector<NodeMemory> nodes = next(front, limit);
        if (nodes.empty())
            return;
        const size_t first = rows_.size();
        read(std::move(nodes));
        front.clear();
        add_targets(first, followed, front);
    }
}

bool Window::is_start(const NodeRow &row, Followed followed) const {
    return followed == Followed::ever || (row.birth <= at_events_ && row.death > at_events_);
}

std::vector<NodeMemory> Window::next(const std::vector<Found> &front, uint64_t limit) {
    std::vector<NodeMemory> nodes;
    for (auto [id, distance] : front) {
        if (distances_.size() >= limit)
            break;
        if (distance > query_.depth)
            continue;
        NodeMemory memory = memory_of(store_, id);
        if (lived(memory.row) && distances_.try_emplace(id, distance).second)
            nodes.push_back(memory);
    }
    return nodes;
}

void Window::add_targets(size_t first_row, Followed followed, std::vector<Found> &out) const {
    for (size_t i = first_row; i < rows_.size(); ++i)
        add_targets_of(rows_[i], followed, out);
}

// The first ones in order of address, those of wanted words before all others.
void Window::add_targets_of(const Row &row, Followed followed, std::vector<Found> &out) const {
    const uint64_t most = query_.fan == never ? never : query_.fan + opened(row.id);
    const Records &found = records(row);
    const auto wanted = query_.wanted.find(row.id);
    std::unordered_set<uint64_t> seen;
    auto add_field = [&](const FieldRecord &field) {
        for (uint64_t at = field.first; at < field.end && seen.size() < most; ++at) {
            const uint64_t target = found.versions[at].target;
            if (!target || (followed == Followed::now && !stands(found, field, at)))
                continue;
            if (!seen.contains(target) && lived(store_.nodes().get(target))) {
                seen.insert(target);
                out.emplace_back(target, row.distance + 1);
            }
        }
    };
    if (wanted != query_.wanted.end())
        for (uint64_t field = row.first; field < row.end; ++field)
            if (wanted->second.contains(found.fields[field].word))
                add_field(found.fields[field]);
    for (uint64_t field = row.first; field < row.end && seen.size() < most; ++field)
        add_field(found.fields[field]);
}

// Whether a version is what its field holds at the moment that comes first.
bool Window::stands(const Records &found, const FieldRecord &field, uint64_t version) const {
    auto since = [&](uint64_t at) {
        const VersionRecord &made = found.versions[at];
        return made.event + !(made.is_meaning || made.initial);
    };
    return since(version) <= at_events_ &&
           (version + 1 == field.end || since(version + 1) > at_events_);
}

uint64_t Window::opened(uint64_t id) const {
    auto found = query_.opened.find(id);
    return found == query_.opened.end() ? 0 : found->second;
}

bool Window::is_wanted(uint64_t id, const NodeRow &row, uint64_t word) const {
    if (word - row.address / 8 < query_.limits.data_words + opened(id))
        return true;
    auto found = query_.wanted.find(id);
    return found != query_.wanted.end() && found->second.contains(word);
}

// Counts what nodes lead to that are not in the window, and leaves out the words of a wide node
// that only lead there.
void Window::fold() {
    Records *part = nullptr;
    uint64_t kept = 0;
    for (Row &row : rows_) { // those of a part come one after the other
        Records &found = groups_[row.group].parts[row.part];
        if (part != &found)
            kept = 0;
        part = &found;
        row.more = more_of(row);
        const uint64_t first = kept;
        uint64_t broken = 0;
        for (uint64_t field = row.first; field < row.end; ++field)
            if (is_kept(row, found.fields[field], broken))
                found.fields[kept++] = found.fields[field];
            else
                ++row.left_out;
        row.first = first;
        row.end = kept;
        if (&row == &rows_.back() || row.group != (&row + 1)->group || row.part != (&row + 1)->part)
            found.fields.resize(kept);
    }
}

uint64_t Window::more_of(const Row &row) const {
    std::vector<uint64_t> missing;
    const Records &found = records(row);
    for (uint64_t field = row.first; field < row.end; ++field)
        for (uint64_t at = found.fields[field].first; at < found.fields[field].end; ++at)
            if (uint64_t target = found.versions[at].target; target && !distances_.contains(target))
                missing.push_back(target);
    std::ranges::sort(missing);
    const auto again = std::ranges::unique(missing);
    missing.erase(again.begin(), again.end());
    return uint64_t(std::ranges::count_if(
        missing, [this](uint64_t id) { return lived(store_.nodes().get(id)); }));
}

// Pointers to what was freed are kept as well, as many as nodes would be gone to.
bool Window::is_kept(const Row &row, const FieldRecord &field, uint64_t &broken) const {
    if (query_.fan == never || is_wanted(row.id, memory(row).row, field.word))
        return true;
    const Records &found = records(row);
    bool leads = false, is_broken = false;
    for (uint64_t at = field.first; at < field.end; ++at) {
        leads |= distances_.contains(found.versions[at].target);
        is_broken |= found.versions[at].stale;
    }
    return leads || (is_broken && ++broken <= query_.fan);
}

} // namespace heapstory
