// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/container/salvage.h"

namespace heapstory {

namespace {

thread_local bool salvaging = false;

} // namespace

Salvaging::Salvaging(bool wanted) : before_(salvaging) {
    salvaging = wanted;
}

Salvaging::~Salvaging() {
    salvaging = before_;
}

bool Salvaging::is_on() {
    return salvaging;
}

} // namespace heapstory
