// What a trace knows of the program's code: places, stacks, types and source text.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "store/store.h"

#include <map>
#include <nanobind/nanobind.h>
#include <string>
#include <vector>

namespace heapstory {

// IndexError for what is not there.
nanobind::list place_of(const Tables &tables, uint32_t site);
nanobind::dict type_of(const Tables &tables, TypeId type);
std::vector<uint32_t> stack_of(const Tables &tables, uint32_t stack);

// By path. Read when asked for: most questions are not about source text.
std::map<std::string, std::string> sources_of(const TraceFile &file);

} // namespace heapstory
