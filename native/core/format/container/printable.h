// Names out of a program, fit to be shown.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace heapstory {

// The same as valid UTF-8 without anything that a terminal, a drawing or a table would obey:
// control characters, marks that turn the direction of text and bytes that are no UTF-8 become
// escapes
// (\n, \x1b, \u202e). Names are whatever a compiler was given, and traces come from anywhere.
std::string printable(std::string_view text);

} // namespace heapstory
