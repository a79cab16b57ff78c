// Which instructions of a loop use what others of it make, and what that says of them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "stream/operations.h"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace heapstory::slice {

// A site is an instruction of the program's own code, counted from 1.
using Site = uint32_t;

// `to` uses what `from` made; `address`: to compute an address.
struct LoopEdge {
    Site from = 0, to = 0;
    bool address = false;

    uint64_t key() const { return uint64_t(from) << 33 | uint64_t(address) << 32 | to; }
    static LoopEdge of(uint64_t key) { return {Site(key >> 33), Site(key), bool(key >> 32 & 1)}; }
};

// The edges of a loop while it runs, those of loops inside it included.
class LoopEdges {
  public:
    LoopEdges(const std::unordered_set<uint64_t> &keys,
              std::span<const stream::Operation> operations);

    // The last site of the way by which the maker of a value takes it over from itself, if all
    // that way only moves it and adds what the loop leaves alone; 0: it does not.
    Site induction(Site maker) const;
    // Whether what a site makes is used by nothing but an associative operation that makes it
    // again.
    bool is_reduction(Site maker) const;
    // Whether what a branch decides depends on memory at an address that is not the same in all
    // iterations; `carried`: the makers of what is taken over.
    bool depends_on_data(Site branch, const std::set<Site> &carried) const;

  private:
    using Links = std::unordered_map<Site, std::vector<std::pair<Site, bool>>>;
    static void close(const Links &links, std::set<Site> &sites);

    Links into_, out_of_;
    std::span<const stream::Operation> operations_;
};

} // namespace heapstory::slice
