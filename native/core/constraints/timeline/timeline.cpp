// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/timeline/timeline.h"

#include "store/parallel.h"

namespace heapstory::constraints {

void Timeline::lay_out(uint64_t time) const {
    constexpr uint32_t piece = 1 << 16; // cells
    laid_out_ = forever;
    uint32_t cells = first_cell.back();
    if (current_.size() != cells)
        current_ = Zeroed<Current>(cells);
    in_parallel((cells + piece - 1) / piece, [&](size_t number) {
        uint32_t first = uint32_t(number) * piece;
        for (uint32_t cell = first; cell < std::min(cells, first + piece); ++cell) {
            Span span;
            const Version *version = at(cell, time, span);
            current_[cell] = {version ? *version : Version{0, span.since, 0, unknown_target},
                              span.until};
        }
    });
    laid_out_ = time;
}

} // namespace heapstory::constraints
