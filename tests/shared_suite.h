// Marks a test suite whose tests run in one process, because they share something that takes seconds
// to make: a worker, a judge, a dataset. ctest then has one test for the file; all other tests are
// tests of their own.
#pragma once

#include <string_view>

namespace kernelmill {

// Returns true, so that it can initialise a variable. `suite`: the first argument of TEST, TEST_F or
// TEST_P.
bool ShareSuite(std::string_view suite);

#define KM_SHARED_SUITE(Suite) \
  [[maybe_unused]] static const bool k##Suite##IsShared = ::kernelmill::ShareSuite(#Suite)

}  // namespace kernelmill
