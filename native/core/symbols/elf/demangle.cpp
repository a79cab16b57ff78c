// Readable names from linkage names, by libiberty.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/elf/demangle.h"

#include "symbols/names.h"

#include <cstdlib>
#include <memory>
#include <string_view>

#define HAVE_DECL_BASENAME 1 // libiberty.h would declare it otherwise than the C++ library
#include <libiberty/demangle.h>

namespace heapstory {

// Rust comes first: its older names are valid C++ names too, with a hash at the end.
std::string demangle(const char *name) {
    char *text = rust_demangle(name, DMGL_NO_OPTS);
    if (!text && std::string_view(name).starts_with("_Z"))
        text = cplus_demangle_v3(name, DMGL_PARAMS);
    std::unique_ptr<char, decltype(&std::free)> owned(text, std::free);
    return text ? text : name;
}

std::string readable_name(const std::string &linkage_name) {
    return demangle(linkage_name.c_str());
}

} // namespace heapstory
