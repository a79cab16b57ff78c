/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shared/listeners.h"

const struct hs_listener *hs_listeners[HS_MAX_LISTENERS + 1];

void hs_listen(const struct hs_listener *listener) {
    UInt n = 0;
    while (hs_listeners[n])
        n++;
    tl_assert(n < HS_MAX_LISTENERS);
    hs_listeners[n] = listener;
}
