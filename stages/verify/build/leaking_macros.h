// Whether sources of an extension may mean something else as one unit than torch, which compiles
// each file apart, makes of them.
#pragma once

#include <string_view>
#include <vector>

namespace kernelmill {

// Whether one of the texts `after` holds the name of a macro that one of the texts `before` defines
// or undefines.
bool MacrosLeak(const std::vector<std::string_view>& before,
                const std::vector<std::string_view>& after);

}  // namespace kernelmill
