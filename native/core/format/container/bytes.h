// Growing byte strings with the few encodings that the trace uses, and their bounds-checked reader.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "format/container/printable.h"

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace heapstory {

// A trace that cannot be read. The message is one line for the user.
struct FormatError : std::runtime_error {
    explicit FormatError(const std::string &message) : std::runtime_error(printable(message)) {}
};

using Bytes = std::vector<uint8_t>;
using ByteSpan = std::span<const uint8_t>;

inline uint64_t zigzag(int64_t value) {
    return (uint64_t(value) << 1) ^ uint64_t(value >> 63);
}
inline int64_t unzigzag(uint64_t value) {
    return int64_t(value >> 1) ^ -int64_t(value & 1);
}

class ByteWriter {
  public:
    Bytes bytes;

    template <class T> void fixed(T value) {
        const auto *from = reinterpret_cast<const uint8_t *>(&value);
        bytes.insert(bytes.end(), from, from + sizeof value);
    }
    void varint(uint64_t value) {
        while (value >= 0x80) {
            bytes.push_back(uint8_t(value) | 0x80);
            value >>= 7;
        }
        bytes.push_back(uint8_t(value));
    }
    void signed_varint(int64_t value) { varint(zigzag(value)); }
    void raw(ByteSpan data) { bytes.insert(bytes.end(), data.begin(), data.end()); }
    void string(std::string_view text) {
        varint(text.size());
        raw({reinterpret_cast<const uint8_t *>(text.data()), text.size()});
    }
};

class ByteReader {
  public:
    ByteReader() = default;
    explicit ByteReader(ByteSpan data) : at_(data.data()), end_(data.data() + data.size()) {}

    bool done() const { return at_ == end_; }
    size_t left() const { return size_t(end_ - at_); }

    template <class T> T fixed() {
        need(sizeof(T));
        T value;
        std::memcpy(&value, at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    uint64_t varint() {
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            need(1);
            uint8_t byte = *at_++;
            value |= uint64_t(byte & 0x7f) << shift;
            if (!(byte & 0x80))
                return value;
        }
        throw FormatError("damaged number");
    }
    int64_t signed_varint() { return unzigzag(varint()); }
    ByteSpan raw(size_t size) {
        need(size);
        ByteSpan data(at_, size);
        at_ += size;
        return data;
    }
    std::string_view string() {
        ByteSpan data = raw(varint());
        return {reinterpret_cast<const char *>(data.data()), data.size()};
    }
    // A count of things that take at least one byte each: refuses absurd ones before allocating.
    size_t count() {
        uint64_t n = varint();
        if (n > left())
            throw FormatError("damaged count");
        return n;
    }

  private:
    void need(size_t size) const {
        if (left() < size)
            throw FormatError("unexpected end");
    }
    const uint8_t *at_ = nullptr;
    const uint8_t *end_ = nullptr;
};

} // namespace heapstory
