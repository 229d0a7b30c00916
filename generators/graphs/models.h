// Builds whole graphs of blocks: one or two blocks at level 3, a small network at level 4.
#pragma once

#include "generators/graphs/graph_draft.h"

namespace kernelmill {

// Both draw sizes and inputs, and build on them. False when an operator did not fit.
bool BuildBlock(GraphDraft* draft);
bool BuildModel(GraphDraft* draft);

}  // namespace kernelmill
