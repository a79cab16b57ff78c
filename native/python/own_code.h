// What a stream says of the program's own code, for Python: see Slicer in src/heapstory/_core.pyi.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "store/own_code.h"

#include <nanobind/nanobind.h>

namespace heapstory {

nanobind::list places_in(const StoredCode &code, uint64_t address);
nanobind::list variables_in(const StoredCode &code, uint64_t address);

} // namespace heapstory
