// Slices of a trace's instruction stream for Python.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <nanobind/nanobind.h>

namespace heapstory {

// Adds slices of a trace's instruction stream.
void bind_slicer(nanobind::module_ &module);

} // namespace heapstory
