// Whole graphs of blocks: level 3 is one or two of them, level 4 a small network.
#pragma once

#include "generators/graphs/graph_draft.h"

namespace kernelmill {

// Each draws sizes and inputs, and builds over them. False where that did not come off.
bool BuildBlock(GraphDraft* draft);
bool BuildModel(GraphDraft* draft);

}  // namespace kernelmill
