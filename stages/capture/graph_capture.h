// Converts a captured run of a PyTorch module to a graph of the operator table.
#pragma once

#include <string>
#include <vector>

#include "corpora/operators/operator_graph.h"
#include "stages/capture/captured_run.h"

namespace kernelmill {

struct GraphCapture {
  OperatorGraph graph;  // Complete only if complete() is true.
  // For each value of the graph its name in the module (CapturedValue::name); empty for results.
  std::vector<std::string> names;
  // For each value of the graph whether a module holds it as a plain attribute, which stays on the
  // device that it was created on.
  std::vector<bool> plain;
  // Functions without a row in the table, each once, in the order of the calls.
  std::vector<std::string> unknown;
  // The operators of its calls, in order: the row names of the graph's nodes and, from the first
  // call on that the graph cannot express, the names of the functions. With MadeTensors::kValues,
  // functions that create tensors from numbers are listed too.
  std::vector<std::string> operators;
  // The first call whose arguments its row does not support, or another reason why a graph cannot
  // express the run; empty if there is none.
  std::string unfit;

  bool complete() const { return unknown.empty() && unfit.empty(); }
};

// How to represent tensors that forward() creates from numbers alone: as given values, as the
// recorded fingerprints of benchmarks do, or as operators, which kernels need.
enum class MadeTensors { kValues, kOperators };

GraphCapture CaptureGraph(CapturedRun run, MadeTensors made = MadeTensors::kValues);

}  // namespace kernelmill
