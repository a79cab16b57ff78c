// The constraint engine for Python: plans, answers, Structure.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "store/store.h"

#include <functional>
#include <memory>
#include <nanobind/nanobind.h>

// The store of a Trace.
using StoreOf = std::function<std::shared_ptr<const heapstory::Store>(nanobind::handle)>;

// Adds the constraint engine to the module: its plans, its answers, and Structure.
void add_constraints(nanobind::module_ &m, StoreOf store_of);
