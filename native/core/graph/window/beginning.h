// All memory as windows begin with it. Putting it together takes longer than anything else of a
// window, and who looks around asks for windows with the same begin.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "graph/memory/image.h"
#include "graph/nodes/graph_node.h"
#include "graph/nodes/live_index.h"

#include <cstdint>
#include <memory>
#include <mutex>

namespace heapstory {

class Beginning {
  public:
    Beginning(const Store &store, uint64_t events);
    // What a word held, as far back as event `since`.
    WordState word(uint64_t word, uint64_t since) const;

  private:
    const Store &store_;
    Values<GraphNode> nodes_;
    LiveIndex live_;
    std::unique_ptr<Image> image_;
};

// Keeps the last one; several threads may ask.
class Beginnings {
  public:
    // None where it costs less to look up the words of so many nodes.
    std::shared_ptr<const Beginning> get(const Store &store, uint64_t events, uint64_t nodes);

  private:
    std::mutex mutex_;
    uint64_t events_ = 0;
    std::shared_ptr<const Beginning> last_;
};

} // namespace heapstory
