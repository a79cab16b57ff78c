// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <nanobind/nanobind.h>

// Adds what judges recorded histories.
void bind_linear(nanobind::module_ &m);
