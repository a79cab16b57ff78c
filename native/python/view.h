// Windows, bands and packed columns as Python sees them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <nanobind/nanobind.h>

namespace heapstory {

void bind_view(nanobind::module_ &module);

} // namespace heapstory
