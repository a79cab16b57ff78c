// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "check/plan.h"

#include <nanobind/nanobind.h>

// A plan from its JSON form (see src/heapstory/constraints/plan.py), read into Python objects.
heapstory::check::Plan read_plan(const nanobind::dict &plan);
