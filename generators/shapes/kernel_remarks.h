// What the shapes of a module say to somebody who writes kernels for it: which result is the
// largest, which operators fit into one kernel, how long reduced rows are, and what the strides of
// a view mean for the accesses of a warp. Called by WriteShapeReasoning() (shape_reasoning.h).
#pragma once

#include <string>

#include "corpora/records/annotation.h"
#include "corpora/records/task.h"
#include "generators/reasoning/value_style.h"
#include "generators/wording/symbolic_shape_text.h"

namespace kernelmill {

// The largest result between the inputs and the outputs, also inside of a line, if it takes more
// memory than each of them. "" otherwise.
std::string LargestResult(const Task& task, const Annotation& annotation, const ValueStyle& style);
// The run of elementwise calls whose fusion saves most bytes: one kernel can compute calls that
// broadcast to one shape, also the kernel of a contraction in front of them.
std::string FusibleRun(const Annotation& annotation, const ValueStyle& style);
// The rows of the first reduction whose shapes tell its dimension.
std::string ReductionRemark(const Task& task, const Annotation& annotation,
                            const ValueStyle& style);
// The first value that is not dense: how far apart its elements lie, and along which dimension
// neighbouring threads should go. "" when all are dense.
std::string StridedValue(const Annotation& annotation);
// The results that one kernel per operator stores and another one reads, or that there are none.
std::string IntermediateBuffers(const Annotation& annotation, const SymbolicShapeText& symbols,
                                const ValueStyle& style);
// The bytes that any kernels have to move, and the time that this takes, beside that of the FLOPs
// and of a launch.
std::string LeastTraffic(const Task& task, const Annotation& annotation, const ValueStyle& style);

}  // namespace kernelmill
