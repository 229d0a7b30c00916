// Whether the configuration leaves a source out: the key exclude_sources holds for repositories
// (stages/mine/walk_step.h), files of tasks (stages/supply/supply_step.h) and tasks of datasets
// (stages/recall/recall_step.h) alike.
#pragma once

#include <string>
#include <vector>

#include "manifests/origin.h"

namespace kernelmill {

// Whether the URL of a source begins with one of `excluded`.
bool IsExcluded(const std::string& url, const std::vector<std::string>& excluded);
// Whether all origins of a record are in such sources.
bool AreExcluded(const std::vector<Origin>& origins, const std::vector<std::string>& excluded);

}  // namespace kernelmill
