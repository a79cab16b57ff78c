// The searches of the core: of specifications, and of C.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>

// Set from another thread to end a search.
struct Stop {
    std::atomic<bool> set{false};
};

// Adds what tries all interleavings of a specification.
void bind_explore(nanobind::module_ &m);
// Adds what tries all interleavings of C.
void bind_explore_ir(nanobind::module_ &m);
