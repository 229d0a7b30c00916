// What the lines of forward() do to shapes, one by one, from what torch reported.
#pragma once

#include <string>
#include <vector>

#include "corpora/records/annotation.h"
#include "corpora/records/task.h"
#include "generators/wording/symbolic_wording.h"
#include "generators/wording/voice.h"

namespace kernelmill {

// How much is said of each line, in which words. A row keeps to one manner.
struct ShapeManner {
  enum class Symbols {
    kEverywhere,  // "(2, 64) = (B, 64)", wherever it stands,
    kOnce,        // or only the first time.
    kMerged,      // "(B=2, 64)".
  };
  std::string arrow;      // Between an operator and what it makes.
  std::string colon;      // Between a name and its tensor.
  std::string view;       // Of a tensor that is not dense: " with strides {stride}".
  std::string times;      // "(×{count})": of operators that a loop runs again.
  std::string unchanged;  // Of a name that keeps its shape and layout.
  std::string like;       // "like {other}": of a name that is as another one.
  std::string group;      // Of lines that change no shape: "{lines} keep it".
  bool operators = true;  // Every operator, or only where a line binds no value.
  bool every_result = false;  // What an operator makes even where the line binds just that.
  // What is known already is not repeated, and lines that change nothing stand together.
  bool brief = false;
  bool group_by_number = false;  // Such lines by their numbers, or by what they hold;
  bool titles_by_number = false;  // and the others.
  bool dtypes = true;            // Of every tensor, or nowhere.
  Symbols symbols = Symbols::kEverywhere;
};

ShapeManner ChooseShapeManner(const Annotation& annotation, bool about_operators, Voice* voice);

// One line of forward(), or several that change no shape.
struct ShapeStep {
  int line = 0;       // 1-based in the task's code; the last one of several.
  std::string title;  // "`x = x + 1`", "lines 4 and 5": what the rest is about.
  std::string operators;
  std::vector<std::string> values;
  bool entry = false;  // The line that defines forward(), with its arguments.
};

// In order of execution.
std::vector<ShapeStep> ShapeStepsOf(const Task& task, const Annotation& annotation,
                                    const SymbolicWording& symbols, const ShapeManner& manner);

// "(2, 64, 512) float32", and the strides where they are not the dense ones.
std::string LayoutText(const TensorFacts& tensor, const ShapeManner& manner);

// Every value and output has one dtype; else "".
std::string OnlyDtype(const Annotation& annotation);

}  // namespace kernelmill
