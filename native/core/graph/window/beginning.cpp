// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/window/beginning.h"

#include "graph/nodes/gather_nodes.h"

namespace heapstory {

namespace {

// What a look-up of the words of a node may decode: some segments of 8192 slots.
constexpr uint64_t slots_of_node = 8 * 8192;
constexpr uint64_t words_of_part = 64 * 8192; // of a keyframe

bool is_worth_it(const Store &store, uint64_t events, uint64_t nodes) {
    const Store::Keyframe *keyframe = store.keyframe_before(events);
    const uint64_t since = events - (keyframe ? keyframe->events : 0);
    const uint64_t kept = keyframe ? keyframe->parts * words_of_part : 0;
    return since + kept < nodes * slots_of_node;
}

} // namespace

Beginning::Beginning(const Store &store, uint64_t events)
    : store_(store), nodes_(gather_nodes(store, events, false, 0)) {
    live_.reserve(nodes_.size());
    for (uint32_t index = 0; index < nodes_.size(); ++index)
        live_.add(nodes_[index], index);
    live_.finish();
    image_ = std::make_unique<Image>(store, events, [this](uint64_t address) -> uint64_t {
        uint32_t found = live_.find(address);
        return found == LiveIndex::none ? 0 : since(store_, nodes_[live_.index(found)], address);
    });
}

WordState Beginning::word(uint64_t word, uint64_t since) const {
    const ImagePage *page = image_->page(word);
    uint64_t i = word % image_page_words;
    if (!page || !page->mask[i] || page->words[i].event < since)
        return {};
    const ImageWord &found = page->words[i];
    return {found.value, page->mask[i], found.event, uint32_t(found.site), !found.site};
}

std::shared_ptr<const Beginning> Beginnings::get(const Store &store, uint64_t events,
                                                 uint64_t nodes) {
    std::lock_guard lock(mutex_);
    if (last_ && events_ == events)
        return last_;
    if (!events || !is_worth_it(store, events, nodes))
        return nullptr;
    last_ = nullptr; // never two at once
    last_ = std::make_shared<const Beginning>(store, events);
    events_ = events;
    return last_;
}

} // namespace heapstory
