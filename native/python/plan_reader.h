// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/plan/plan.h"

#include <nanobind/nanobind.h>

// A plan from its JSON form (see src/heapstory/constraints/plan/definition.py), read into Python
// objects.
heapstory::constraints::Plan read_plan(const nanobind::dict &plan);
