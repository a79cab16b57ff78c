// All recorded memory after a number of events: the chunks before, newest first, down to a
// keyframe. Of most words only the newest version is ever looked at.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/memory/page_map.h"
#include "store/store.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace heapstory {

constexpr uint64_t image_page_words = 512;

struct ImageWord {
    uint64_t value = 0;
    uint64_t event : 40 = 0; // of the last write
    uint64_t site : 24 = 0;  // 0: it is from before the recording
};
static_assert(sizeof(ImageWord) == 16);

struct ImagePage {
    ImageWord words[image_page_words];
    uint8_t mask[image_page_words]; // bytes written, one bit each; 0: never
};

class Image {
  public:
    // From which event on the bytes at an address are those of the node that holds them now.
    using Since = std::function<uint64_t(uint64_t address)>;

    Image(const Store &store, uint64_t events, const Since &since);

    // The page that holds a word, null if none of it was written.
    const ImagePage *page(uint64_t word) const;

  private:
    class Part;
    std::vector<uint64_t> ends_; // of the parts: words
    std::vector<std::shared_ptr<Part>> parts_;
};

} // namespace heapstory
