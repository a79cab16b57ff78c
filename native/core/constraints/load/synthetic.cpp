// SPDX-License-Identifier: GPL-2.0-or-later
#include "constraints/load/synthetic.h"

#include "constraints/plan/bits.h"

#include <cstring>

namespace heapstory::constraints {

namespace {

using Find = Builder::Find;

// Word by word: what is stored there until the next store, or until either block ends.
class ReferenceFinder {
  public:
    ReferenceFinder(References &references, Find find)
        : references_(references), find_(std::move(find)) {}

    void write(const Write &write) {
        SourceBlock source;
        if (!find_(write.word * 8, write.event + 1, source) ||
            write.word * 8 + 8 > source.block.address + source.block.size)
            return;
        Word &word = words_[write.word];
        end(word, write.since);
        if (word.source != source.block.id)
            word = {source.block.id, 0, uint8_t(source.zeroed ? 0xff : 0)};
        word.value = merge(word.value, write.value, write.first, write.size);
        word.mask |= byte_bits(write.first, write.size);
        SourceBlock target;
        if (word.mask != 0xff || !word.value || !find_(word.value, write.event + 1, target))
            return;
        word.target = target.block.id;
        word.since = write.since;
        word.until = std::min(source.block.death, target.block.death);
    }
    void finish() {
        for (auto &[at, word] : words_)
            end(word, forever);
    }

  private:
    struct Word {
        uint64_t source = forever, value = 0;            // source: a block's id
        uint8_t mask = 0;                                // bytes that were written
        uint64_t target = forever, since = 0, until = 0; // forever: it holds no pointer
    };
    void end(Word &word, uint64_t time) {
        if (word.target != forever)
            references_.add(word.target, word.value, word.since, std::min(word.until, time));
        word.target = forever;
    }

    References &references_;
    Find find_;
    std::unordered_map<uint64_t, Word> words_;
};

} // namespace

Timeline make_timeline(const Plan &plan, const std::vector<SourceBlock> &blocks,
                       const std::vector<GivenWrite> &writes, uint64_t last) {
    auto find = [&](uint64_t address, uint64_t n, SourceBlock &found) {
        for (auto block = blocks.rbegin(); block != blocks.rend(); ++block)
            if (address - block->life.address < std::max<uint64_t>(block->life.size, 1) &&
                block->life.birth <= n && n < block->life.death) {
                found = *block;
                return true;
            }
        return false;
    };
    Builder builder(plan, find);
    builder.meant_after = true;
    for (const SourceBlock &block : blocks)
        builder.add(block);
    builder.begin(1);
    std::vector<Write> words;
    for (const GivenWrite &given : writes)
        for (uint64_t at = given.address; at < given.address + given.bytes.size();) {
            uint64_t end = std::min((at / 8 + 1) * 8, given.address + given.bytes.size());
            Write write;
            write.word = at / 8;
            std::memcpy(&write.value, given.bytes.data() + (at - given.address), end - at);
            // As in a trace without silent stores: timestamp T is what the T-th event leaves.
            write.event = std::max<uint64_t>(given.time, 1) - 1;
            write.since = given.time;
            write.site = given.site;
            write.first = uint8_t(at % 8);
            write.size = uint8_t(end - at);
            builder.write(0, write);
            words.push_back(write);
            at = end;
        }
    Timeline line = builder.finish();
    line.last = last;
    if (has(plan, Op::references)) {
        line.begin_references();
        ReferenceFinder finder(line.references, find);
        for (const Write &write : words)
            finder.write(write);
        finder.finish();
        line.references.finish();
    }
    return line;
}

} // namespace heapstory::constraints
