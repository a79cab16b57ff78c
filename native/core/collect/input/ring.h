// The collector's end of the ring shared with the recorder (see heapstory_wire.h).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/container/bytes.h"
#include "heapstory_wire.h"

#include <cstdint>

namespace heapstory {

class Ring {
  public:
    Ring(int ring_fd, int socket_fd);
    ~Ring();
    Ring(const Ring &) = delete;
    Ring &operator=(const Ring &) = delete;

    // Tells the recorder that somebody listens.
    void ready() const;

    enum class Got { records, idle, end };
    // Waits up to `milliseconds` for a full segment. At the end (the recorder has gone) the records
    // of the segment it was filling are returned once, as Got::end.
    Got next(int milliseconds, ByteSpan &records);
    // Gives the segment of the last Got::records back.
    void release() const;

    const hsw_ring &header() const { return *header_; }
    void stop() const { header_->stop = 1; }
    void stop_stream() const { header_->stop_stream = 1; }

  private:
    const uint8_t *segment(unsigned number) const;
    void send(unsigned kind, unsigned segment) const;

    hsw_ring *header_ = nullptr;
    uint64_t size_ = 0;
    int socket_;
    unsigned current_ = 0;
    uint64_t received_ = 0; // segments, which the recorder numbers from 0
};

} // namespace heapstory
