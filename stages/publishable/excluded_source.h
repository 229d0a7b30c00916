// Whether the configuration leaves a source out: the key exclude_sources holds for repositories
// (stages/mine/walk_step.h) and files of tasks (stages/supply/supply_step.h) alike.
#pragma once

#include <string>
#include <vector>

namespace kernelmill {

// Whether the URL of a source begins with one of `excluded`.
bool IsExcluded(const std::string& url, const std::vector<std::string>& excluded);

}  // namespace kernelmill
