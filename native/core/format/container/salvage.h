// Reading what is whole of damaged traces.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace heapstory {

// Trace files that this thread opens meanwhile are checked as a whole, which means to read all of
// them; what is damaged, with what cannot be told without it, is left out as if the recording had
// been cut off there.
class Salvaging {
  public:
    explicit Salvaging(bool wanted);
    ~Salvaging();
    Salvaging(const Salvaging &) = delete;
    Salvaging &operator=(const Salvaging &) = delete;
    static bool is_on();

  private:
    bool before_;
};

} // namespace heapstory
