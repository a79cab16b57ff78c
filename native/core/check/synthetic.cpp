// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/synthetic.h"

#include <cstring>

namespace heapstory::check {

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
            at = end;
        }
    Timeline line = builder.finish();
    line.last = last;
    return line;
}

} // namespace heapstory::check
