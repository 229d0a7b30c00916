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
  // Of each of the graph's values whether a module holds it as a plain attribute, which stays on the
  // device that it was made on.
  std::vector<bool> plain;
  // Functions that no row of the table stands for, each once, in the order of the calls.
  std::vector<std::string> unknown;
  // What its calls are in the table, in order: the rows of the graph's nodes; and from the first call
  // on that no graph can say, what each function is called, where tensors are made of numbers too.
  std::vector<std::string> operators;
  // The first call that a row stands for, but not with these arguments, or what else no graph can
  // say; empty where there is nothing.
  std::string unfit;

  bool complete() const { return unknown.empty() && unfit.empty(); }
};

// What tensors are that forward() makes of nothing but numbers. Fingerprints of benchmarks were taken
// with them as values that somebody gives; who writes kernels needs to know how they are made.
enum class MadeTensors { kValues, kOperators };

GraphCapture CaptureGraph(CapturedRun run, MadeTensors made = MadeTensors::kValues);

}  // namespace kernelmill
