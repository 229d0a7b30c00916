// A module of others as a graph of the operator table.
#pragma once

#include <string>
#include <vector>

#include "corpora/operators/operator_graph.h"
#include "stages/capture/captured_run.h"

namespace kernelmill {

struct GraphCapture {
  OperatorGraph graph;  // Whole only where `complete()`.
  // Of each of the graph's values what the module calls it (CapturedValue::name); empty for
  // results.
  std::vector<std::string> names;
  // Functions that no row of the table stands for, each once, in the order of the calls.
  std::vector<std::string> unknown;
  // The first call that a row stands for, but not with these arguments, or what else no graph can
  // say; empty where there is nothing.
  std::string unfit;

  bool complete() const { return unknown.empty() && unfit.empty(); }
};

GraphCapture CaptureGraph(CapturedRun run);

}  // namespace kernelmill
