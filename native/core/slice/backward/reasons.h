// Why something is in a slice: which statement's execution waited for what another one did.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "slice/backward/edges_between.h"
#include "slice/backward/reasons_parts.h"
#include "slice/flow_graph.h"
#include "slice/frames.h"
#include "slice/statements.h"
#include "stream/registers.h"
#include "stream/sequence.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace heapstory::slice {

// Is told by the walk what is taken into the slice and what that waits for, and puts the two
// together. Moment 0 is the criterion. The first moments are single executions; when there are
// `most`, further ones are counted for one moment of each statement, so that memory is bounded.
class Reasons {
  public:
    static constexpr bool on = true;

    Reasons(const Prepared &prepared, const Statements &statements, const std::vector<bool> &stops,
            size_t most);

    // A sequence is walked over whose activations are these.
    void enter(const Activations &activations) { activations_ = &activations; }
    // An instruction that ran, whether it is in the slice or not.
    void pass(uint64_t activation, uint32_t block, unsigned instruction);
    void pass_block(uint64_t activation, uint32_t block, unsigned instructions);
    void end(uint64_t activation) { open_.erase(activation); }

    // Something is taken into the slice: the present moment from here on.
    void take(uint64_t step, uint32_t thread, uint64_t activation, uint32_t block,
              unsigned instruction);
    void take_effect(uint64_t step, uint32_t thread, uint64_t activation, uint64_t address);
    void take_criterion() { present_ = 0; }
    // Whether the walk is to end here.
    bool stops() const { return stops_[moments_[present_].statement]; }

    void asked_for() { link({0, 0}, Dependence::criterion, 0, 0, std::nullopt); }
    void stored(uint64_t address, uint64_t size, std::optional<uint64_t> value);
    void defined(uint32_t thread, stream::RegisterPart part);
    void loaded(uint64_t address, uint64_t size);
    void used(uint32_t thread, stream::RegisterPart part);
    // What waits for bytes at `to` waits for the present moment, and that for those at `from`.
    void copied(uint64_t to, uint64_t from, uint64_t size);

    // The present moment waits for the branch that decides over a node.
    void waits(uint64_t activation, uint32_t node);
    void waits_as_before(uint64_t activation);
    void meets(uint64_t activation, uint32_t node);
    void decided(uint64_t activation, const FlowGraph &graph, uint32_t branch);
    void called(uint64_t callee);

    // What waits for a register waits for memory instead, and the other way round.
    void restored(uint32_t thread, unsigned first, uint64_t slot);
    void saved(uint32_t thread, unsigned first, uint64_t slot);
    void forget(uint32_t thread, stream::RegisterPart part);
    void forget(uint64_t address, uint64_t size);

    // What was found since the last cut. From here on, whatever is waited for waits under a name
    // that does not depend on the criterion.
    ReasonsPart cut();
    // Of the part that has begun.
    const std::vector<StandIn> &stand_ins() const { return stand_ins_; }
    // Whether the parts of another walk are those that this one would come to.
    bool fits(const std::vector<StandIn> &own, const RestOfReasons &rest) const {
        return rest.fits(own, stand_ins_, singles_, most_);
    }

  private:
    struct User {
        uint64_t bits; // bytes of the word
        uint32_t moment;
        bool moved = false; // it waited for a register that was saved meanwhile
    };
    // Of what is set once and used in every iteration of a loop there are very many.
    struct Users {
        std::vector<User> single, many; // by the kind of their moments

        bool empty() const { return single.empty() && many.empty(); }
    };
    struct Open { // a statement's execution that the walk may still be in
        uint32_t statement;
        uint32_t moment;
        uint64_t lowest; // address
    };
    struct Waiting {
        uint32_t node, moment;
    };
    static constexpr uint32_t as_before = ~uint32_t(0);

    Open *find_open(uint64_t activation, uint32_t statement);
    void begin(uint64_t step, uint32_t thread, uint64_t activation, uint32_t statement,
               uint64_t position);
    // The statement that called, outside of all the code that belongs to none.
    void begin_caller(uint64_t step, uint32_t thread, uint64_t activation);
    uint32_t new_moment(const Moment &moment);
    void link(const User &user, Dependence kind, uint64_t where, uint32_t size,
              std::optional<uint64_t> value);
    // Numbers what happens to all of these at once, if a stand-in is among them.
    void begin_event(const Users &users);
    template <class Links> void link_waiting(std::vector<Waiting> &all, Dependence kind, Links is);
    void add(Users &users, User user);
    bool is_stand_in(uint32_t moment) const { return moment < stand_ins_.size(); }
    struct Entry { // somebody who waits, or a moment that is still open
        StandIn::Key key;
        uint64_t lowest;
        Behind behind;
    };
    std::vector<Entry> entries() const;
    void add_entries(std::vector<Entry> &to, StandIn::Key key, const Users &users) const;
    // Puts the stand-ins in the place of all that waited.
    void go_on_with_stand_ins();
    template <class Visit> static uint64_t remove(Users &users, uint64_t bits, Visit visit);
    // Of 8 bytes of registers: one general register.
    Users &registers(uint32_t thread, unsigned group) {
        return registers_[uint64_t(thread) << 8 | group];
    }

    const Prepared &prepared_;
    const Statements &statements_;
    const std::vector<bool> &stops_; // by statement
    const size_t most_;
    const Activations *activations_ = nullptr;
    std::unordered_map<uint64_t, std::vector<Open>> open_; // by activation
    std::vector<StandIn> stand_ins_;
    std::vector<Moment> moments_; // stand-ins first
    size_t singles_ = 1;          // moments of the whole walk, without those of many executions
    uint32_t present_ = 0;
    std::unordered_map<uint32_t, uint32_t> many_; // moments of many, by statement
    std::unordered_map<uint64_t, Users> memory_;  // by word
    std::unordered_map<uint64_t, Users> registers_;
    std::unordered_map<uint64_t, std::vector<Waiting>> waiting_; // by activation
    std::vector<Edge> edges_;
    uint32_t event_ = 0, events_ = 0; // the present one, or 0; how many there were
    EdgesBetween edges_between_;
};

} // namespace heapstory::slice
