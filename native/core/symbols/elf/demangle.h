// Readable names from linkage names. Internal to symbols/.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace heapstory {

// C++ (Itanium) and Rust names are demangled; others are returned as they are.
std::string demangle(const char *name);

std::string demangle_rust_v0(std::string_view name); // one that starts with "_R"

} // namespace heapstory
