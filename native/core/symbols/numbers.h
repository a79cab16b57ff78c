// Memory of variables that holds numbers only: no word of it can be an address.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "symbols/symbols.h"

namespace heapstory {

// Whole words, in order of address, at most `most` ranges. What could hold an address all the same
// is left out: integers of eight bytes, characters (memory for anything), unions with such a
// member, and whatever has no type.
std::vector<CodeRange> number_ranges(ElfFile &file, const TypeTable &types, size_t most);

} // namespace heapstory
