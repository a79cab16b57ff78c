// Stands for Reasons in a walk that is not to say why.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace heapstory::slice {

// Takes what Reasons takes, and costs nothing.
struct NoReasons {
    static constexpr bool on = false;

    void enter(auto &&...) {}
    void pass(auto &&...) {}
    void pass_block(auto &&...) {}
    void end(auto &&...) {}
    void take_effect(auto &&...) {}
    void take_criterion() {}
    bool stops() const { return false; }
    void asked_for() {}
    void stored(auto &&...) {}
    void defined(auto &&...) {}
    void loaded(auto &&...) {}
    void used(auto &&...) {}
    void copied(auto &&...) {}
    void called(auto &&...) {}
    void waits(auto &&...) {}
    void waits_as_before(auto &&...) {}
    void meets(auto &&...) {}
    void restored(auto &&...) {}
    void saved(auto &&...) {}
    void forget(auto &&...) {}
};

} // namespace heapstory::slice
