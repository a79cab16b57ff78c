// All recorded memory after a number of events: a keyframe and the chunks since, put together.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "store/store.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace heapstory {

constexpr uint64_t image_page_words = 512;

struct ImagePage {
    uint64_t value[image_page_words];
    uint64_t event[image_page_words]; // of the last write
    uint32_t site[image_page_words];
    uint8_t mask[image_page_words]; // bytes written, one bit each; 0: never
    bool initial[image_page_words]; // the last write is from before the recording
};

class Image {
  public:
    Image(const Store &store, uint64_t events);
    ~Image();
    Image(const Image &) = delete;
    Image &operator=(const Image &) = delete;

    const ImagePage *page(uint64_t word) const {
        uint64_t number = word / image_page_words;
        return number < pages ? table_[number] : nullptr;
    }

  private:
    static constexpr uint64_t pages = uint64_t(1) << 28;
    struct Part {                    // of the address space, one thread's work
        uint64_t first = 0, end = 0; // words
        std::vector<std::unique_ptr<ImagePage>> kept;
    };
    ImagePage &get(Part &part, uint64_t word);
    void load(Part &part, const Store::Keyframe &keyframe);
    void apply(Part &part, uint32_t chunk);
    void apply_ranges(Part &part, uint32_t chunk, uint32_t events);
    uint64_t middle() const;

    const Store &store_;
    uint64_t events_;
    ImagePage **table_;
    std::vector<Part> parts_;
};

} // namespace heapstory
