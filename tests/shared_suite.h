// Marks a test suite whose tests run in one process, because they share something that takes
// seconds to create: a worker, a judge, a dataset. ctest then runs the file's shared suites as one
// test; every other test is one of its own.
#pragma once

#include <string_view>

namespace kernelmill {

// Returns true, so that it can initialise a variable. `suite`: the first argument of TEST, TEST_F or
// TEST_P.
bool ShareSuite(std::string_view suite);

#define KM_SHARED_SUITE(Suite) \
  [[maybe_unused]] static const bool k##Suite##IsShared = ::kernelmill::ShareSuite(#Suite)

}  // namespace kernelmill
