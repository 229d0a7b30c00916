// What extensions include of torch and the C++ library, in nearly every case nothing else.
#pragma once

// What kernels call too, and so is worth inlining.
#include <ATen/core/TensorAccessor.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <climits>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

// What only host code calls. Not inlined, it is not compiled either: these functions lie ready in
// prelude.o, and to optimise copies of those that an answer reaches takes longer than all the rest.
#pragma clang attribute push(__attribute__((noinline)), apply_to = function)
#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/ceil_div.h>
#include <ATen/core/ivalue.h>
#include <torch/library.h>
#include <torch/types.h>

#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>
#pragma clang attribute pop
