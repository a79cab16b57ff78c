// What is made when it is first asked for.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <mutex>

namespace heapstory {

template <class T> class OnDemand {
  public:
    template <class Make> const T &get(Make make) {
        std::call_once(once_, [&] { value_ = make(); });
        return value_;
    }

  private:
    std::once_flag once_;
    T value_;
};

} // namespace heapstory
