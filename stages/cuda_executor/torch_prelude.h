// The headers of torch and of the C++ library that nearly all extensions include, as one
// precompiled header. CudaToolchain (stages/verify/build/cuda_toolchain.h) compiles it once;
// cuda_prelude.h and every extension that the executor runs build on it.
#pragma once

// Before the C++ library defines std::fmax() by what it replaces.
#include <kernelmill/extremes.h>

// Functions that kernels call are worth inlining. In builds with checks they must be inlined,
// because the code in prelude.o has no checks.
#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

// Functions that only host code calls are not inlined and so not compiled again: they are in
// prelude.o already, and optimising copies of those that an answer uses takes longer than
// everything else. The string headers come before the headers that include them, because a single
// error message instantiates a hundred functions.
#pragma clang attribute push(__attribute__((noinline)), apply_to = function)
#include <sstream>
#include <string>
#pragma clang attribute pop

#include <atomic>
#include <iterator>
#include <memory>

#pragma clang attribute push(__attribute__((noinline)), apply_to = function)
#include <c10/util/Exception.h>
#pragma clang attribute pop

#include <ATen/core/TensorAccessor.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#pragma clang attribute push(__attribute__((noinline)), apply_to = function)
#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/ceil_div.h>
#include <ATen/core/ivalue.h>
#include <torch/library.h>
#include <torch/types.h>

#include <iostream>
#include <map>
#include <mutex>
#pragma clang attribute pop
