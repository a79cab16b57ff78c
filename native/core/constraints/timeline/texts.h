// Texts in memory: character arrays and what char pointers lead to.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/timeline/span.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heapstory::constraints {

class Texts {
  public:
    virtual ~Texts() = default;
    // The bytes up to the first NUL, at most `most` of them, from an offset of a block (by its id
    // in the trace) as of a moment; none if a byte before that was never written. Narrows `span`.
    virtual std::optional<std::string> text(uint64_t block, uint64_t offset, uint64_t most,
                                            uint64_t time, Span &span) const = 0;
};

} // namespace heapstory::constraints
