// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/stream/blocks.h"

namespace heapstory {

namespace {

using stream::Access;
using stream::AccessKind;
using stream::Block;
using stream::Exit;
using stream::Jump;
using stream::no_word;

constexpr unsigned is_store = 1, has_value = 2, has_guard = 4; // flags of an access
constexpr unsigned jump_bits = 3, jump_mask = (1u << jump_bits) - 1;

// A number that must fit what it is kept in.
template <class T> T narrow(uint64_t value) {
    if (T(value) != value)
        throw FormatError("damaged block of code");
    return T(value);
}

// Words are counted from 1 here: 0 is none.
uint64_t word_number(uint16_t word) {
    return uint16_t(word + 1);
}
uint16_t read_word(ByteReader &in, uint16_t words) {
    uint64_t number = in.varint();
    if (number > words)
        throw FormatError("damaged block of code");
    return uint16_t(number - 1);
}

void write_access(ByteWriter &out, const Access &access, uint16_t instruction_before) {
    bool store = access.kind == AccessKind::store;
    unsigned flags = store * is_store | (access.value != no_word) * has_value |
                     (access.guard != no_word) * has_guard;
    out.varint(uint16_t(access.instruction - instruction_before));
    out.varint(flags);
    out.varint(access.size);
    out.varint(word_number(access.word));
    out.signed_varint(access.displacement);
    if (flags & has_guard)
        out.varint(word_number(access.guard));
    if (flags & has_value)
        out.varint(word_number(access.value));
    else if (store)
        out.signed_varint(access.constant);
}

Access read_access(ByteReader &in, const Block &block, uint16_t instruction_before) {
    Access access;
    access.instruction = narrow<uint16_t>(instruction_before + in.varint());
    uint64_t flags = in.varint();
    access.kind = flags & is_store ? AccessKind::store : AccessKind::load;
    access.size = narrow<uint32_t>(in.varint());
    access.word = read_word(in, block.words);
    access.displacement = in.signed_varint();
    if (flags & has_guard)
        access.guard = read_word(in, block.words);
    if (flags & has_value) {
        access.value = read_word(in, block.words);
        // One word for each 8 bytes, all of them the block's.
        if (access.value == no_word ||
            (access.size + 7ull) / 8 > size_t(block.words - access.value))
            throw FormatError("damaged block of code");
    } else if (flags & is_store)
        access.constant = in.signed_varint();
    return access;
}

void write_block(ByteWriter &out, const Block &block, uint64_t address_before) {
    out.signed_varint(int64_t(block.address - address_before));
    out.varint(block.code.size());
    out.varint(unsigned(block.jump) | unsigned(block.own) << jump_bits);
    out.varint(block.words);
    out.varint(word_number(block.stack_word));
    out.varint(block.stub);
    if (block.stub)
        out.varint(block.stub_uses);
    out.varint(block.accesses.size());
    out.varint(block.exits.size());
    for (const Exit &exit : block.exits) {
        out.varint(exit.instruction);
        out.varint(exit.accesses);
    }
}

// Returns how many accesses the block has.
uint64_t read_block(ByteReader &in, ByteReader &code, Block &block, uint64_t address_before) {
    block.address = address_before + uint64_t(in.signed_varint());
    ByteSpan bytes = code.raw(in.varint());
    block.code.assign(bytes.begin(), bytes.end());
    uint64_t kind = in.varint();
    if ((kind & jump_mask) > unsigned(Jump::other))
        throw FormatError("damaged block of code");
    block.jump = Jump(kind & jump_mask);
    block.own = kind >> jump_bits & 1;
    block.words = narrow<uint16_t>(in.varint());
    block.stack_word = read_word(in, block.words);
    block.stub = narrow<uint16_t>(in.varint());
    if (block.stub)
        block.stub_uses = narrow<uint16_t>(in.varint());
    uint64_t accesses = narrow<uint16_t>(in.varint());
    block.exits.resize(in.count());
    for (Exit &exit : block.exits) {
        exit.instruction = narrow<uint16_t>(in.varint());
        exit.accesses = narrow<uint16_t>(in.varint());
        if (exit.accesses > accesses)
            throw FormatError("damaged block of code");
    }
    return accesses;
}

} // namespace

Bytes encode_blocks(std::span<const Block> blocks, uint32_t first_id, ChunkHeader &header) {
    ByteWriter code, rows, accesses, out;
    uint64_t address = 0;
    for (const Block &block : blocks) {
        code.raw(block.code);
        write_block(rows, block, address);
        address = block.address;
        uint16_t instruction = 0;
        for (const Access &access : block.accesses) {
            write_access(accesses, access, instruction);
            instruction = access.instruction;
        }
    }
    pack(out, code.bytes);
    pack(out, rows.bytes);
    pack(out, accesses.bytes);
    header.first_word = first_id;
    header.slots = uint32_t(blocks.size());
    return std::move(out.bytes);
}

void decode_blocks(ByteSpan payload, const ChunkHeader &header, std::vector<Block> &blocks) {
    if (header.first_word != blocks.size() + 1)
        throw FormatError("blocks of code are missing");
    ByteReader in(payload);
    Bytes code_bytes = unpack(in), row_bytes = unpack(in), access_bytes = unpack(in);
    ByteReader code(code_bytes), rows(row_bytes), accesses(access_bytes);
    uint64_t address = 0;
    for (uint32_t i = 0; i < header.slots; ++i) {
        Block &block = blocks.emplace_back();
        uint64_t count = read_block(rows, code, block, address);
        address = block.address;
        uint16_t instruction = 0;
        for (uint64_t j = 0; j < count; ++j) {
            block.accesses.push_back(read_access(accesses, block, instruction));
            instruction = block.accesses.back().instruction;
        }
    }
}

} // namespace heapstory
