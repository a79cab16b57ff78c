// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/container/trace_file.h"

#include "format/container/salvage.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace heapstory {

namespace {

struct Footer {
    uint64_t directory = 0; // offset of the end chunk
    uint64_t magic = 0;
};
constexpr uint64_t footer_magic = 0x444e455352544348; // "HCTRSEND"

std::system_error failure(const std::string &what) {
    return std::system_error(errno, std::generic_category(), what);
}

// ---- what is whole of a damaged file ----

bool is_whole(const uint8_t *file, const ChunkEntry &entry) {
    ByteSpan payload(file + entry.offset + sizeof entry.header, entry.header.length);
    const uint64_t head = entry.header.head_length;
    return crc32c(payload) == entry.header.payload_crc && head <= payload.size() &&
           (!head || crc32c(payload.first(head)) == entry.header.head_crc);
}

// Derived chunks are made again from the others, and the text of a source stands for itself.
bool can_be_missed(const ChunkEntry &entry) {
    switch (ChunkKind(entry.header.kind)) {
    case ChunkKind::keyframe:
    case ChunkKind::nodes:
    case ChunkKind::words:
    case ChunkKind::source:
        return true;
    default:
        return false;
    }
}

// A keyframe is all of its parts, or none.
void leave_out(std::vector<ChunkEntry> &chunks, size_t chunk) {
    const ChunkHeader header = chunks[chunk].header;
    size_t first = chunk, count = 1;
    if (ChunkKind(header.kind) == ChunkKind::keyframe && header.events <= chunk) {
        first = chunk - header.events;
        count = std::min<size_t>(header.slots, chunks.size() - first);
    }
    for (size_t i = first; i < first + count; ++i)
        chunks[i].header.kind = 0;
}

// Leaves the damaged chunks of a mapped file out, and all behind one that the rest cannot be told
// without. Returns the offset of the first, 0 if there is none.
uint64_t leave_out_damaged(const uint8_t *file, std::vector<ChunkEntry> &chunks) {
    if (!chunks.empty() && !is_whole(file, chunks.front())) // all others need it
        chunks.clear();
    uint64_t first = 0;
    for (size_t chunk = 0; chunk < chunks.size(); ++chunk) {
        if (is_whole(file, chunks[chunk]))
            continue;
        if (!first)
            first = chunks[chunk].offset;
        if (can_be_missed(chunks[chunk])) {
            leave_out(chunks, chunk);
            continue;
        }
        auto is_lost = [&](const ChunkEntry &entry) {
            return ChunkKind(entry.header.kind) != ChunkKind::source || !is_whole(file, entry);
        };
        chunks.erase(std::remove_if(chunks.begin() + ptrdiff_t(chunk), chunks.end(), is_lost),
                     chunks.end());
        break;
    }
    return first;
}

} // namespace

TraceWriter::TraceWriter(const std::string &directory)
    : directory_(directory), path_(directory + "/chunks") {
    fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0)
        throw failure(path_);
}

TraceWriter::~TraceWriter() {
    if (fd_ >= 0)
        ::close(fd_);
}

void TraceWriter::write_all(ByteSpan bytes) {
    size_t done = 0;
    while (done < bytes.size()) {
        ssize_t n = write(fd_, bytes.data() + done, bytes.size() - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            auto error = failure(path_);
            // Leave the last whole chunk as the end of the file.
            if (ftruncate(fd_, off_t(size_)) != 0) {
            }
            throw error;
        }
        done += size_t(n);
    }
    size_ += bytes.size();
}

void TraceWriter::append(ChunkKind kind, ByteSpan payload, ChunkHeader header) {
    header.kind = uint16_t(kind);
    header.sequence = uint32_t(chunks_.size());
    Bytes framed = frame(header, payload);
    uint64_t offset = size_;
    write_all(framed);
    ChunkEntry entry{offset, {}};
    std::memcpy(&entry.header, framed.data(), sizeof entry.header);
    chunks_.push_back(entry);
}

void TraceWriter::close() {
    ByteWriter directory;
    for (const ChunkEntry &entry : chunks_)
        directory.fixed(entry);
    Footer footer{size_, footer_magic};
    append(ChunkKind::end, directory.bytes);
    write_all({reinterpret_cast<const uint8_t *>(&footer), sizeof footer});
    if (::close(fd_) != 0)
        throw failure(path_);
    fd_ = -1;
}

TraceFile::TraceFile(const std::string &directory) : path_(directory + "/chunks") {
    fd_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0)
        throw FormatError(path_ + ": " + std::strerror(errno));
    struct stat status;
    if (fstat(fd_, &status) == 0)
        size_ = uint64_t(status.st_size);
    if (size_) {
        void *map = mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd_, 0);
        if (map != MAP_FAILED)
            data_ = static_cast<const uint8_t *>(map);
    }
    if (size_ && !data_) {
        ::close(fd_);
        throw FormatError(path_ + ": cannot be mapped");
    }
    // What is read through it, headers and heads, lies apart.
    posix_fadvise(fd_, 0, 0, POSIX_FADV_RANDOM);
    closed_ = read_directory();
    if (!closed_)
        read_headers();
    if (Salvaging::is_on())
        if (uint64_t offset = leave_out_damaged(data_, chunks_)) {
            damaged_at_ = offset;
            closed_ = false;
        }
    checked_ = std::make_unique<std::atomic<bool>[]>(chunks_.size());
}

TraceFile::~TraceFile() {
    if (data_)
        munmap(const_cast<uint8_t *>(data_), size_);
    ::close(fd_);
}

void TraceFile::advise(size_t chunk, int advice, uint64_t before) const {
    constexpr uint64_t page = 4096;
    const ChunkEntry &entry = chunks_[chunk];
    uint64_t start = (entry.offset - std::min(before, entry.offset)) & ~(page - 1);
    uint64_t end = entry.offset + sizeof(ChunkHeader) + padded(entry.header.length);
    madvise(const_cast<uint8_t *>(data_) + start, end - start, advice);
}

void TraceFile::will_need(size_t chunk) const {
    if (!checked_[chunk])
        advise(chunk, MADV_WILLNEED);
}

void TraceFile::release(size_t chunk) const {
    constexpr uint64_t around = 1 << 20; // what the kernel may have mapped along with its beginning
    advise(chunk, MADV_DONTNEED, around);
}

// Not from the map: the kernel would map what lies around each header as well, all of the file.
bool TraceFile::header_at(uint64_t offset, ChunkHeader &header) const {
    if (size_ < sizeof header || offset > size_ - sizeof header ||
        pread(fd_, &header, sizeof header, off_t(offset)) != ssize_t(sizeof header))
        return false;
    return is_valid(header) && header.length <= size_ - offset - sizeof header;
}

bool TraceFile::read_directory() {
    Footer footer;
    if (size_ < sizeof footer)
        return false;
    std::memcpy(&footer, data_ + size_ - sizeof footer, sizeof footer);
    ChunkHeader header;
    if (footer.magic != footer_magic || !header_at(footer.directory, header) ||
        header.kind != uint16_t(ChunkKind::end))
        return false;
    ByteSpan payload(data_ + footer.directory + sizeof header, header.length);
    if (crc32c(payload) != header.payload_crc)
        return false;
    ByteReader in(payload);
    while (in.left() >= sizeof(ChunkEntry)) {
        auto entry = in.fixed<ChunkEntry>();
        if (entry.offset + sizeof entry.header + entry.header.length > size_) {
            chunks_.clear();
            return false;
        }
        chunks_.push_back(entry);
    }
    return true;
}

void TraceFile::read_headers() {
    uint64_t offset = 0;
    ChunkHeader header;
    while (header_at(offset, header) && header.sequence == chunks_.size()) {
        if (header.kind == uint16_t(ChunkKind::end))
            break;
        chunks_.push_back({offset, header});
        offset += sizeof header + padded(header.length);
    }
    if (offset < size_)
        damaged_at_ = offset;
}

void TraceFile::damaged(size_t chunk) const {
    throw FormatError(path_ + ": chunk " + std::to_string(chunk) + " at byte " +
                      std::to_string(chunks_[chunk].offset) +
                      " is damaged (checksum); record the program again");
}

Bytes TraceFile::head(size_t chunk) const {
    const ChunkEntry &entry = chunks_[chunk];
    Bytes head(std::min<uint64_t>(entry.header.head_length, entry.header.length));
    ssize_t got = pread(fd_, head.data(), head.size(), off_t(entry.offset + sizeof entry.header));
    if (got != ssize_t(head.size()) || crc32c(head) != entry.header.head_crc)
        damaged(chunk);
    return head;
}

ByteSpan TraceFile::payload(size_t chunk) const {
    const ChunkEntry &entry = chunks_[chunk];
    ByteSpan payload(data_ + entry.offset + sizeof entry.header, entry.header.length);
    if (!checked_[chunk]) {
        advise(chunk, MADV_WILLNEED); // all of it is read
        if (crc32c(payload) != entry.header.payload_crc)
            damaged(chunk);
        checked_[chunk] = true;
    }
    return payload;
}

} // namespace heapstory
