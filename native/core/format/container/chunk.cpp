// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/container/chunk.h"

#define ZSTD_STATIC_LINKING_ONLY // for ZSTD_c_literalCompressionMode
#include <array>
#include <nmmintrin.h>
#include <utility>
#include <zstd.h>

namespace heapstory {

namespace {

constexpr size_t largest_column = size_t(1) << 31;
constexpr size_t lane_bytes = 4096;

struct Contexts {
    std::array<ZSTD_CCtx *, 3> compress; // by Repetitions
    ZSTD_DCtx *decompress = ZSTD_createDCtx();
    Contexts() {
        constexpr std::array levels{1, -5, -50};
        for (size_t i = 0; i < compress.size(); ++i) {
            compress[i] = ZSTD_createCCtx();
            ZSTD_CCtx_setParameter(compress[i], ZSTD_c_compressionLevel, levels[i]);
            ZSTD_CCtx_setParameter(compress[i], ZSTD_c_literalCompressionMode, ZSTD_ps_enable);
        }
    }
    ~Contexts() {
        for (ZSTD_CCtx *context : compress)
            ZSTD_freeCCtx(context);
        ZSTD_freeDCtx(decompress);
    }
};

// What a checksum becomes when as many zeros follow as a lane has bytes.
class Skip {
  public:
    Skip() {
        for (unsigned byte = 0; byte < 4; ++byte)
            for (unsigned value = 0; value < 256; ++value) {
                uint64_t crc = uint64_t(value) << (8 * byte);
                for (size_t at = 0; at < lane_bytes; at += 8)
                    crc = _mm_crc32_u64(crc, 0);
                table_[byte][value] = uint32_t(crc);
            }
    }
    uint64_t operator()(uint64_t crc) const {
        return table_[0][crc & 255] ^ table_[1][crc >> 8 & 255] ^ table_[2][crc >> 16 & 255] ^
               table_[3][crc >> 24 & 255];
    }

  private:
    uint32_t table_[4][256];
};

// The instruction takes three cycles, but three may be under way at once.
uint64_t crc_of_lanes(uint64_t crc, const uint8_t *data) {
    static const Skip skip;
    uint64_t second = 0, third = 0;
    for (size_t at = 0; at < lane_bytes; at += 8) {
        uint64_t words[3];
        for (size_t lane = 0; lane < 3; ++lane)
            std::memcpy(&words[lane], data + lane * lane_bytes + at, 8);
        crc = _mm_crc32_u64(crc, words[0]);
        second = _mm_crc32_u64(second, words[1]);
        third = _mm_crc32_u64(third, words[2]);
    }
    return skip(skip(crc) ^ second) ^ third;
}

Contexts &contexts() {
    thread_local Contexts instance;
    return instance;
}

} // namespace

uint32_t crc32c(ByteSpan data) {
    const uint8_t *at = data.data();
    size_t left = data.size();
    uint64_t crc = 0xffffffff;
    for (; left >= 3 * lane_bytes; left -= 3 * lane_bytes, at += 3 * lane_bytes)
        crc = crc_of_lanes(crc, at);
    for (; left >= 8; left -= 8, at += 8) {
        uint64_t word;
        std::memcpy(&word, at, 8);
        crc = _mm_crc32_u64(crc, word);
    }
    for (; left; --left)
        crc = _mm_crc32_u8(uint32_t(crc), *at++);
    return ~uint32_t(crc);
}

Bytes frame(ChunkHeader header, ByteSpan payload) {
    header.length = payload.size();
    header.payload_crc = crc32c(payload);
    header.head_crc = crc32c(payload.first(header.head_length));
    header.header_crc = 0;
    header.header_crc = crc32c({reinterpret_cast<const uint8_t *>(&header), sizeof header});
    Bytes out(sizeof header + padded(payload.size()));
    std::memcpy(out.data(), &header, sizeof header);
    if (!payload.empty())
        std::memcpy(out.data() + sizeof header, payload.data(), payload.size());
    return out;
}

bool is_valid(const ChunkHeader &header) {
    if (header.magic != chunk_magic)
        return false;
    ChunkHeader copy = header;
    copy.header_crc = 0;
    return crc32c({reinterpret_cast<const uint8_t *>(&copy), sizeof copy}) == header.header_crc;
}

void pack(ByteWriter &out, ByteSpan data, Repetitions repetitions) {
    constexpr size_t least = 32; // below, there is nothing to gain
    out.varint(data.size());
    if (data.empty())
        return;
    if (data.size() < least) {
        out.varint(data.size());
        out.raw(data);
        return;
    }
    thread_local Bytes buffer;
    if (size_t most = ZSTD_compressBound(data.size()); buffer.size() < most)
        buffer.resize(most);
    ZSTD_CCtx *context = contexts().compress[size_t(repetitions)];
    size_t size = ZSTD_compress2(context, buffer.data(), buffer.size(), data.data(), data.size());
    if (ZSTD_isError(size) || size >= data.size()) {
        out.varint(data.size());
        out.raw(data);
        return;
    }
    out.varint(size);
    out.raw({buffer.data(), size});
}

void ColumnPacker::pack(ByteWriter &out, ByteSpan data) {
    constexpr unsigned trial_every = 32;
    constexpr size_t least_to_judge = 1024;
    if (until_trial_ || data.size() < least_to_judge) {
        until_trial_ -= until_trial_ > 0;
        heapstory::pack(out, data, repetitions_);
        return;
    }
    until_trial_ = trial_every;
    choose(out, data);
}

// A slower way must be worth its time: about so many bytes of the column, more than the way before.
void ColumnPacker::choose(ByteWriter &out, ByteSpan data) {
    ByteWriter best;
    heapstory::pack(best, data, repetitions_ = Repetitions::rare);
    auto try_slower = [&](Repetitions slower, size_t worth) {
        ByteWriter packed;
        heapstory::pack(packed, data, slower);
        if (packed.bytes.size() + worth >= best.bytes.size())
            return;
        repetitions_ = slower;
        std::swap(best, packed);
    };
    try_slower(Repetitions::long_ones, data.size() / 24);
    try_slower(Repetitions::usual, data.size() / 8);
    out.raw(best.bytes);
}

void unpack_into(ByteReader &in, Bytes &out, size_t slack) {
    uint64_t raw_size = in.varint();
    if (raw_size > largest_column)
        throw FormatError("damaged column size");
    out.resize(raw_size + slack);
    if (!raw_size)
        return;
    uint64_t stored = in.varint();
    ByteSpan data = in.raw(stored);
    if (stored == raw_size) {
        std::memcpy(out.data(), data.data(), raw_size);
        return;
    }
    size_t size =
        ZSTD_decompressDCtx(contexts().decompress, out.data(), raw_size, data.data(), data.size());
    if (ZSTD_isError(size) || size != raw_size)
        throw FormatError("damaged column");
}

Bytes unpack(ByteReader &in) {
    Bytes out;
    unpack_into(in, out, 0);
    return out;
}

void skip_packed(ByteReader &in) {
    if (in.varint())
        in.raw(in.varint());
}

} // namespace heapstory
