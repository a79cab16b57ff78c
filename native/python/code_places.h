// Symbols for Python: the source lines of code, by file and offset.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <nanobind/nanobind.h>

namespace heapstory {

void bind_code_places(nanobind::module_ &m);

} // namespace heapstory
