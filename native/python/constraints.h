// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "store/store.h"

#include <functional>
#include <memory>
#include <nanobind/nanobind.h>

// Adds Structure to the module. `store_of` gives the store of a Trace.
void add_constraints(
    nanobind::module_ &m,
    std::function<std::shared_ptr<const heapstory::Store>(nanobind::handle)> store_of);
