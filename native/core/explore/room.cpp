// SPDX-License-Identifier: GPL-2.0-or-later
#include "explore/room.h"

#include <cstdio>
#include <unistd.h>

namespace heapstory::explore {

size_t resident() {
    std::FILE *file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr)
        return 0;
    unsigned long whole = 0, pages = 0;
    int read = std::fscanf(file, "%lu %lu", &whole, &pages);
    std::fclose(file);
    return read == 2 ? pages * size_t(sysconf(_SC_PAGESIZE)) : 0;
}

} // namespace heapstory::explore
