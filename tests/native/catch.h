// Catch2 as the system has it: version 2 (Debian 12) is one header, version 3 several.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_session.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#else
#include <catch2/catch.hpp>
#endif
