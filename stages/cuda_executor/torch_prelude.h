// What extensions include of torch and the C++ library, in nearly every case nothing else.
#pragma once

// What kernels call too, and so is worth inlining. In builds with checks it has to be: the code in
// prelude.o has none.
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

// What only host code calls. Not inlined, it is not compiled either: these functions lie ready in
// prelude.o, and to optimise copies of those that an answer reaches takes longer than all the rest.
// Texts come before what includes them: one message of an error is a hundred functions.
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
