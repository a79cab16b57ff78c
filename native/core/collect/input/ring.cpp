// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/input/ring.h"

#include <cerrno>
#include <poll.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heapstory {

Ring::Ring(int ring_fd, int socket_fd) : socket_(socket_fd) {
    struct stat status;
    if (fstat(ring_fd, &status) != 0)
        throw std::runtime_error("the ring is not open");
    size_ = uint64_t(status.st_size);
    void *map = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, ring_fd, 0);
    if (map == MAP_FAILED)
        throw std::runtime_error("the ring cannot be mapped");
    header_ = static_cast<hsw_ring *>(map);
    if (header_->magic != HSW_MAGIC || header_->version != HSW_VERSION)
        throw std::runtime_error("recorder and collector are of different versions: build again");
    if (HSW_RING_PAGE + header_->segments * header_->segment_bytes > size_)
        throw std::runtime_error("the ring is too small");
}

Ring::~Ring() {
    munmap(header_, size_);
    ::close(socket_);
}

void Ring::send(unsigned kind, unsigned segment) const {
    hsw_message message{kind, segment, 0};
    // A recorder that has gone is noticed when its end of file is read.
    if (::send(socket_, &message, sizeof message, MSG_NOSIGNAL) < 0) {
    }
}

void Ring::ready() const {
    send(HSW_FREE, 0);
}

void Ring::release() const {
    send(HSW_FREE, current_);
}

const uint8_t *Ring::segment(unsigned number) const {
    return reinterpret_cast<const uint8_t *>(header_) + HSW_RING_PAGE +
           uint64_t(number) * header_->segment_bytes;
}

Ring::Got Ring::next(int milliseconds, ByteSpan &records) {
    pollfd wait{socket_, POLLIN, 0};
    int ready = poll(&wait, 1, milliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR))
        return Got::idle;
    hsw_message message{};
    ssize_t n = recv(socket_, &message, sizeof message, MSG_WAITALL);
    if (n == sizeof message && message.kind == HSW_FULL && message.segment < header_->segments &&
        message.bytes <= header_->segment_bytes) {
        current_ = message.segment;
        ++received_;
        records = {segment(current_), size_t(message.bytes)};
        return Got::records;
    }
    uint64_t offset = header_->cursor - header_->base - HSW_RING_PAGE;
    uint64_t number = offset / header_->segment_bytes;
    records = {};
    if (header_->cursor && number < header_->segments) {
        // A recorder killed right after announcing a segment has not started the next one.
        uint64_t start[2];
        std::memcpy(start, segment(unsigned(number)), sizeof start);
        if (start[1] == received_)
            records = {segment(unsigned(number)), size_t(offset % header_->segment_bytes)};
    }
    return Got::end;
}

} // namespace heapstory
