// Functions that only hand on what they were given, as wrappers of free do, told by their code.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "symbols/symbols.h"

namespace heapstory {

// A set of argument registers, one bit each by the processor's number (rdi: 7).
using Arguments = uint16_t;
constexpr Arguments first_argument = 1u << 7;

// For each of the places of a call (`address` lies in its instruction), innermost first: from which
// of its own arguments that function takes one of the call's `arguments`, if all it does is to make
// this call; 0 if it does more. It may test what it was given and count in variables of
// fixed addresses, but it follows no pointer, stores none, has no loop and calls nothing else.
// Of inlined functions it is not known which argument: all bits.
std::vector<Arguments> handed_on(ElfFile &file, uint64_t address, Arguments arguments);

} // namespace heapstory
