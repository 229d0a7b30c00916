// How many elements a reduction combines into each of its results, from the shapes that torch
// reported. Called by writers of reasoning and of shape rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "corpora/records/annotation.h"
#include "corpora/records/candidate.h"
#include "corpora/records/task.h"

namespace kernelmill {

// The dimension that a reduction from one shape to the other removes or sets to 1; nothing where
// the shapes leave it open.
std::optional<std::size_t> ReducedDimension(const std::vector<std::int64_t>& from,
                                            const std::vector<std::int64_t>& to);

struct ReducedRows {
  std::int64_t results = 0, length = 0;
};
// Of the reduction that the plan is built around, where the task calls it once and the shapes of
// its result and of what came before it fit together.
std::optional<ReducedRows> ReducedRowsOf(const Task& task, const Annotation& facts,
                                         const DesignedKernel& plan);
// How many blocks a kernel of that plan has with one block for a row, or for 32 columns; 0 for
// other designs.
std::int64_t BlocksOfReduction(const Annotation& facts, const DesignedKernel& plan);

// The grid of a kernel that divides rows or columns over several blocks: a block for each of so
// many groups and parts. Nothing where the host code of the program does not say it for these
// sizes.
struct SplitGrid {
  std::int64_t groups = 0, parts = 0;
};
std::optional<SplitGrid> SplitGridOf(const Task& task, const Annotation& facts,
                                     const DesignedKernel& plan, const std::string& code);

}  // namespace kernelmill
