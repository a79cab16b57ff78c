// How much memory the process has.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>

namespace heapstory::explore {

// In bytes; 0 where that cannot be told.
size_t resident();

} // namespace heapstory::explore
