// Converts a captured run of a PyTorch module (run_capture.h) to a graph of the operator table.
// `answer` lowers the graph, and `admit` compares its fingerprint with those of benchmarks.
#pragma once

#include <string>
#include <vector>

#include "corpora/operators/operator_graph.h"
#include "stages/capture/captured_run.h"

namespace kernelmill {

struct CapturedGraph {
  OperatorGraph graph;  // Complete only if complete() is true.
  // For each value of the graph its name in the module (CapturedValue::name); empty for results.
  std::vector<std::string> names;
  // For each value of the graph whether it is a tensor that a module holds as a plain attribute,
  // neither parameter nor buffer, so that it stays on the device that it was created on.
  std::vector<bool> is_plain_attribute;
  // Functions without a row in the table, each once, in the order of the calls.
  std::vector<std::string> unknown;
  // The operators of its calls, in order: the row names of the graph's nodes and, from the first
  // call on that the graph cannot express, the names of the functions. With
  // CreatedTensors::kAsBuffers, functions that create tensors from numbers are listed too.
  std::vector<std::string> operators;
  // The first call whose arguments its row does not support, or another reason why a graph cannot
  // express the run; empty if there is none.
  std::string unfit;

  bool complete() const { return unknown.empty() && unfit.empty(); }
};

// How to represent tensors that forward() creates from numbers alone.
enum class CreatedTensors {
  kAsBuffers,    // For fingerprints, because those of the shipped benchmark tables were made so.
  kAsOperators,  // By operators of OperatorFamily::kCreation, for kernels.
};

CapturedGraph GraphOfRun(CapturedRun run, CreatedTensors created = CreatedTensors::kAsBuffers);

}  // namespace kernelmill
