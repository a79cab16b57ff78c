// Readable names from linkage names.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

namespace heapstory {

// C++ (Itanium) and Rust names are demangled; others are returned as they are.
std::string readable_name(const std::string &linkage_name);

} // namespace heapstory
