// Builds a whole random graph in an empty draft: BuildBlock() one or two blocks, for tasks of level
// 3, and BuildModel() a small network, for level 4. Called by GraphSampler (graph_sampler.h).
#pragma once

#include "generators/graphs/graph_draft.h"

namespace kernelmill {

// Both draw sizes and inputs, and build on them. False when an operator did not fit.
bool BuildBlock(GraphDraft* draft);
bool BuildModel(GraphDraft* draft);

}  // namespace kernelmill
