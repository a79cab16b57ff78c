// The engine's plan from the Plan that Python compiled.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "constraints/plan/plan.h"

#include <nanobind/nanobind.h>

// The engine's plan from a Plan of heapstory.constraints.plan.
heapstory::constraints::Plan read_plan(nanobind::handle plan);

// Adds the words of plans to the module.
void add_plan(nanobind::module_ &m);
