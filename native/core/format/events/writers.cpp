// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/events/writers.h"

#include <cstring>

namespace heapstory {

namespace {

constexpr size_t writer_bytes = sizeof(uint32_t);
constexpr unsigned most_numbers = 255, no_number = 255;

uint32_t writer_at(const uint8_t *at) {
    uint32_t writer;
    std::memcpy(&writer, at, sizeof writer);
    return writer;
}

} // namespace

void WriterNumbers::number(ByteSpan writers) {
    const size_t count = writers.size() / writer_bytes;
    table_.fill({});
    numbers_.resize(count);
    fresh_.clear();
    unsigned known = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint8_t *bytes = writers.data() + i * writer_bytes;
        const uint32_t writer = writer_at(bytes);
        size_t at = (writer * 0x9e3779b1u) >> (32 - table_bits);
        while (table_[at].number_plus_one && table_[at].writer != writer)
            at = (at + 1) % table_.size();
        if (const uint32_t found = table_[at].number_plus_one) [[likely]] {
            numbers_[i] = uint8_t(found - 1);
            continue;
        }
        numbers_[i] = uint8_t(known < most_numbers ? known : no_number);
        fresh_.insert(fresh_.end(), bytes, bytes + writer_bytes);
        if (known < most_numbers)
            table_[at] = {writer, ++known};
    }
}

void expand_writers(ByteSpan numbers, ByteSpan fresh, Bytes &writers, size_t slack) {
    std::array<uint32_t, most_numbers> known;
    unsigned known_count = 0;
    writers.resize(numbers.size() * writer_bytes + slack);
    uint8_t *out = writers.data();
    for (const uint8_t number : numbers) {
        uint32_t writer;
        if (number < known_count) {
            writer = known[number];
        } else {
            if ((number != known_count && number != no_number) || fresh.size() < writer_bytes)
                throw FormatError("damaged writers");
            writer = writer_at(fresh.data());
            fresh = fresh.subspan(writer_bytes);
            if (number != no_number)
                known[known_count++] = writer;
        }
        std::memcpy(out, &writer, writer_bytes);
        out += writer_bytes;
    }
}

} // namespace heapstory
