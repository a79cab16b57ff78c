// Puts a timeline together from blocks and the writes to them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/load/owners.h"
#include "constraints/plan/layout.h"
#include "constraints/timeline/timeline.h"

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

namespace heapstory::constraints {

struct SourceBlock {
    Block block;
    Lifetime life;
    bool heap = true; // types name heap blocks only; variables are named one by one
    bool zeroed = false;
    bool in_place = false; // a reallocation that kept the address: it begins with the old contents
};

// Bytes written to one 8-byte word of memory.
struct Write {
    uint64_t word = 0;  // address / 8
    uint64_t value = 0; // of its bytes, zero-extended
    uint64_t event = 0, since = 0;
    uint32_t site = 0;
    uint8_t first = 0, size = 8;
};

class Builder {
  public:
    // Which block of the trace, known here or not, holds an address after n events.
    using Find = std::function<bool(uint64_t address, uint64_t n, SourceBlock &)>;

    Builder(const Plan &plan, Find find);
    // Whether any type has objects in such blocks.
    bool wants(const SourceBlock &source) const;
    // A pointer means the block that is there after the event that stores it, not before: right
    // where silent stores are no events of their own.
    bool meant_after = false;
    // After how many events, more than n, the next block of the trace is born. If it is given,
    // stores that are repeated are known to be silent where they mean no object.
    std::function<uint64_t(uint64_t n)> next_birth;
    // Blocks come in order of id. A block that no type wants is kept for its contents only.
    void add(const SourceBlock &source);
    void begin(unsigned parts);
    uint64_t middle() const { return owners_->middle(); }
    bool holds(uint64_t word) const { return owners_->number(word) != Owners::nobody; }
    // Writes to a word come in order of time; parts may run on threads of their own if each has its
    // words.
    void write(unsigned part, const Write &write);
    // Whether a write stores what is there already, with the same meaning: it may be left out. Its
    // `since` and `site` are not looked at.
    bool is_silent(const Write &write) const;
    Timeline finish();

  private:
    // A target among a part's others, until they are numbered.
    static constexpr uint32_t other_tag = uint32_t(1) << 31;
    static constexpr unsigned part_shift = 30;
    struct Placed { // one type's objects in a block
        uint32_t type;
        int64_t base;
        std::optional<uint64_t> stride, count;
        bool is_kept = false;
    };
    struct Written {
        uint64_t value, since;
        uint32_t site, cell, target;
    };
    struct Piece { // of a field that lies in two words
        uint64_t event, since, value, address;
        uint32_t site, cell, object;
        uint8_t first, size;
    };
    struct Part {
        Values<Written> written;
        std::vector<Piece> pieces;
        std::vector<Block> others;                    // targets that have no objects
        std::vector<uint64_t> deaths;                 // of those, counted in events
        std::unordered_map<uint64_t, uint32_t> known; // their number by id
    };
    struct Word {
        uint64_t value = 0;
        uint64_t same_until = 0; // event: until then, storing these bytes again changes nothing
        uint32_t owner = Owners::nobody;
        uint8_t mask = 0;
    };

    // The last bytes of every word of a block that a reallocation in place kept.
    using Contents = std::unordered_map<uint64_t, std::pair<Write, uint8_t>>;

    template <class Visit> void for_each_place(const SourceBlock &source, Visit visit) const;
    void place(uint32_t number);
    void find_ancestors();
    void take_over(Word &word, uint32_t owner) const;
    // Until which event the same bytes would change nothing.
    uint64_t write_object(Part &part, const Write &write, Object object, const Word &word);
    uint64_t put(Part &part, uint32_t cell, uint64_t value, bool pointer, uint64_t since,
                 const Write &write);
    // Until which event a pointer that was stored at one has the same meaning if it is stored
    // again.
    uint64_t same_until(const Part &part, uint32_t target, uint64_t event) const;
    uint32_t target_of(Part &part, uint64_t value, uint64_t event);
    Object object_at(uint32_t number, int64_t base) const;
    Object object_before(uint64_t value, uint64_t event) const;
    void join_pieces();
    void number_others();
    void inherit(uint32_t number, Contents &contents);
    void add_beginnings();
    void scatter();
    void compact();

    const Plan &plan_;
    Find find_;
    Timeline line_;
    std::vector<Layout> layouts_;
    std::unordered_map<uint32_t, std::vector<Placed>> by_type_, by_stack_;
    std::unordered_map<uint64_t, std::vector<Placed>> by_node_;
    std::vector<SourceBlock> sources_;
    std::vector<Lifetime> lives_;
    std::unique_ptr<Owners> owners_;
    Values<Word> words_;
    std::vector<Part> parts_;
    Values<uint64_t> last_written_; // by cell: place + 1 of its last one in its part
    std::vector<uint32_t> before_;  // by block: the one it was reallocated from in place
    std::vector<uint8_t> kept_;     // by block: it was reallocated in place
    std::vector<std::vector<Write>> kept_writes_; // of those, by part
    Values<Written> beginnings_;                  // what cells hold at birth
    uint64_t longest_ = 0;                        // bytes of an object
    std::vector<int64_t> bases_before_; // of objects that begin before their block, each once
};

} // namespace heapstory::constraints
