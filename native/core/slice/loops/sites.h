// The instructions of the program's own code, each once, however many blocks it is in.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/loops/edges.h"
#include "slice/prepared.h"
#include "stream/operations.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace heapstory::slice {

class LoopSites {
  public:
    LoopSites(const Prepared &prepared, const std::vector<stream::Range> &ignored)
        : first_(prepared.source().blocks() + 2), ignored_(prepared.source().blocks() + 1) {
        for (uint32_t id = 1; id <= prepared.source().blocks(); ++id) {
            const stream::Block &block = prepared.source().block(id);
            for (const stream::Range &range : ignored)
                ignored_[id] = ignored_[id] || block.address - range.address < range.size;
            first_[id] = uint32_t(sites_.size());
            if (block.own)
                for (const stream::Instruction &one : prepared.effects(id).instructions)
                    sites_.push_back(site_of(block, one.address));
        }
    }

    // 0: of other code.
    Site site(uint32_t block, unsigned instruction, bool own) const {
        return own ? sites_[first_[block] + instruction] : 0;
    }
    bool is_ignored(uint32_t block) const { return ignored_[block]; }
    // The site at an address; 0: none.
    Site at(uint64_t address) const {
        auto found = by_address_.find(address);
        return found == by_address_.end() ? 0 : found->second;
    }
    uint64_t address(Site site) const { return addresses_[site]; }
    std::span<const stream::Operation> operations() const { return operations_; }

  private:
    Site site_of(const stream::Block &block, uint64_t address) {
        auto [found, is_new] = by_address_.try_emplace(address, Site(addresses_.size()));
        if (is_new) {
            addresses_.push_back(address);
            operations_.push_back(
                stream::operation_of(std::span(block.code).subspan(address - block.address)));
        }
        return found->second;
    }

    std::vector<uint32_t> first_; // of a block's sites
    std::vector<bool> ignored_;   // by block
    std::vector<Site> sites_;
    std::unordered_map<uint64_t, Site> by_address_;
    std::vector<uint64_t> addresses_ = {0};
    std::vector<stream::Operation> operations_ = {stream::Operation::other};
};

} // namespace heapstory::slice
