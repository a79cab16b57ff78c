// A stream made without Valgrind: a program run one instruction at a time.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "stream/block.h"
#include "stream/sequence.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

// From main to the end; the program is not position independent. Accesses are computed from the
// operands that Zydis decodes and the registers before each instruction; what system calls write is
// not known.
class SingleStep : public heapstory::stream::Source {
  public:
    explicit SingleStep(const std::vector<std::string> &command);

    uint32_t blocks() const override { return uint32_t(blocks_.size()); }
    const heapstory::stream::Block &block(uint32_t id) const override { return blocks_[id - 1]; }
    uint32_t sequences() const override { return uint32_t(sequences_.size()); }
    uint64_t first_step(uint32_t number) const override { return sequences_[number].first_step; }
    void read(uint32_t number, heapstory::stream::Sequence &into) const override {
        into = sequences_[number];
    }
    // The bytes of the program's own code from an address on.
    std::span<const uint8_t> code(uint64_t address) const;

  private:
    struct Segment {
        uint64_t address;
        std::vector<uint8_t> bytes;
    };
    struct Now; // what is being put together

    uint64_t load(const std::string &file);
    void run(int child);
    void finish(Now &now);

    std::vector<heapstory::stream::Block> blocks_;
    std::map<std::pair<uint64_t, size_t>, uint32_t> ids_; // by address and length
    std::vector<heapstory::stream::Sequence> sequences_;
    std::vector<Segment> segments_;
};
