// The names that CUDA's and MUSA's toolkits and the C++ library give to device code.
#pragma once

#include <optional>
#include <string_view>

namespace kernelmill {

// The header that declares `name` (as CUDA calls it), "" when the compiler itself knows it, nothing
// when the toolkit has no such name, as far as we know. A qualified name is given by its chain:
// "std::numeric_limits", "cooperative_groups::reduce".
std::optional<std::string_view> ToolkitHeaderOf(std::string_view name);

// float4, uchar2, dim3: the built-in vector types.
bool IsVectorType(std::string_view name);

// A header of the toolkit or of the C++ library that device code may include.
bool IsToolkitHeader(std::string_view header);

// The name that MUSA's toolkit has for a header of CUDA's.
std::string_view MusaHeaderOf(std::string_view header);

}  // namespace kernelmill
