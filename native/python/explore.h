// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <nanobind/nanobind.h>

// Adds what tries all interleavings of a specification.
void bind_explore(nanobind::module_ &m);
