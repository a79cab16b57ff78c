// The file `chunks` of a trace: appended to by the collector, mapped by readers.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/container/chunk.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace heapstory {

// Where a chunk lies, with its header.
struct ChunkEntry {
    uint64_t offset = 0; // of the header
    ChunkHeader header;
};

class TraceWriter {
  public:
    // Creates `directory`/chunks; std::system_error if it exists or cannot be written.
    explicit TraceWriter(const std::string &directory);
    ~TraceWriter();
    TraceWriter(const TraceWriter &) = delete;
    TraceWriter &operator=(const TraceWriter &) = delete;

    // std::system_error when the disk is full: what was written before stays whole.
    void append(ChunkKind kind, ByteSpan payload, ChunkHeader header = {});
    // Writes the directory of chunks that makes opening quick.
    void close();
    const std::vector<ChunkEntry> &chunks() const { return chunks_; }
    const std::string &directory() const { return directory_; }

  private:
    void write_all(ByteSpan bytes);
    std::string directory_, path_;
    int fd_ = -1;
    uint64_t size_ = 0;
    std::vector<ChunkEntry> chunks_;
};

class TraceFile {
  public:
    // Maps `directory`/chunks and finds its chunks. FormatError if there is no whole chunk.
    explicit TraceFile(const std::string &directory);
    ~TraceFile();
    TraceFile(const TraceFile &) = delete;
    TraceFile &operator=(const TraceFile &) = delete;

    const std::vector<ChunkEntry> &chunks() const { return chunks_; }
    bool closed() const { return closed_; }
    // Where reading stopped before the end of the file, 0 if it did not.
    uint64_t damaged_at() const { return damaged_at_; }
    uint64_t size() const { return size_; }
    // The payload of a chunk; checked the first time. FormatError if it is damaged.
    ByteSpan payload(size_t chunk) const;
    // The head of a payload, read without the rest and checked. FormatError if it is damaged.
    Bytes head(size_t chunk) const;
    // Soon to be read: the kernel may fetch it meanwhile.
    void will_need(size_t chunk) const;
    // The memory that a chunk's payload takes up, and what lies before it, is given back until it
    // is read again.
    void release(size_t chunk) const;

  private:
    void advise(size_t chunk, int advice, uint64_t before = 0) const; // bytes
    bool read_directory();
    void read_headers();
    bool header_at(uint64_t offset, ChunkHeader &header) const;

    [[noreturn]] void damaged(size_t chunk) const;

    std::string path_;
    int fd_ = -1;
    const uint8_t *data_ = nullptr;
    uint64_t size_ = 0;
    std::vector<ChunkEntry> chunks_;
    mutable std::unique_ptr<std::atomic<bool>[]> checked_; // by chunk; threads share it
    bool closed_ = false;
    uint64_t damaged_at_ = 0;
};

} // namespace heapstory
