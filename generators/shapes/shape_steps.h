// Describes the effect of each line of a task's forward() on shapes, from the values that torch
// reported (the annotation), in a style that the row draws. Called by WriteShapeReasoning()
// (shape_reasoning.h).
#pragma once

#include <string>
#include <vector>

#include "corpora/records/annotation.h"
#include "corpora/records/task.h"
#include "generators/wording/symbolic_shape_text.h"

namespace kernelmill {

// How a row describes each line. The words are the same in all rows.
struct ShapeStyle {
  enum class Symbols {
    kEverywhere,  // "(2, 64) = (B, 64)" at every occurrence.
    kOnce,        // "(2, 64) = (B, 64)" at the first occurrence only.
    kMerged,      // "(B=2, 64)".
  };
  std::string arrow = " → ";  // Stands between an operator and its result.
  std::string colon = ": ";   // Stands between a name and its tensor.
  // For a tensor that is not dense.
  std::string view = ", strides {stride} (not contiguous)";
  std::string times = " (×{count})";                  // For operators that a loop repeats.
  std::string unchanged = "keeps its shape";          // For a name that keeps shape and layout.
  std::string group = "these lines change no shape";  // For several lines.
  bool operators = true;      // Name every operator; otherwise only on lines that bind no value.
  bool every_result = false;  // Give an operator's result even when the line binds the same value.
  // Leave out what is known already, and combine lines that change nothing.
  bool brief = false;
  bool dtypes = true;  // Give the dtype of every tensor; otherwise of none.
  Symbols symbols = Symbols::kOnce;
};

// `about_operators`: the question asks what each operator returns.
ShapeStyle ShapeStyleFor(const Annotation& annotation, bool about_operators);

// One line of forward(), or several lines that change no shape.
struct ShapeStep {
  int line = 0;       // The last of its lines in the task's code, from 1.
  std::string title;  // Names the lines: "`x = x + 1`", "lines 4 and 5".
  std::string operators;
  std::vector<std::string> values;
  bool entry = false;  // Whether it is the line that defines forward() and its arguments.
};

// The steps in order of execution.
std::vector<ShapeStep> ShapeStepsOf(const Task& task, const Annotation& annotation,
                                    const SymbolicShapeText& symbols, const ShapeStyle& style);

// "(2, 64, 512) float32", followed by the strides of a tensor that is not dense.
std::string LayoutText(const TensorFacts& tensor, const ShapeStyle& style);

// The dtype that all values, results of operators and outputs have, or "" when they differ.
std::string OnlyDtype(const Annotation& annotation);

}  // namespace kernelmill
