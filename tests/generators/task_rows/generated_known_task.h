// Generated tasks with answers of the lowering, in the form that render gets, for tests of rows
// that run nothing. The operator table provides the annotation in place of torch.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "generators/graphs/generated_task.h"
#include "generators/known_task/known_task.h"
#include "generators/lowering/lower_graph.h"

namespace kernelmill {

inline TensorFacts FactsOf(const TensorType& type) {
  TensorFacts facts;
  facts.shape.assign(type.shape.begin(), type.shape.end());
  facts.dtype = DTypeName(type.dtype);
  facts.stride.assign(facts.shape.size(), 1);
  for (std::size_t i = facts.shape.size(); i-- > 1;) {
    facts.stride[i - 1] = facts.stride[i] * std::max<std::int64_t>(facts.shape[i], 1);
  }
  return facts;
}

inline Annotation AnnotationOf(const OperatorGraph& graph) {
  Annotation facts;
  for (const Node& node : graph.nodes()) {
    OperatorCall call;
    call.name = node.op->name;
    for (int r = 0; r < node.result_count; ++r) {
      call.outputs.push_back(FactsOf(graph.value(node.first_result + r).type));
    }
    facts.operators.push_back(std::move(call));
  }
  for (const ValueId id : graph.outputs()) facts.outputs.push_back(FactsOf(graph.value(id).type));
  const OperatorCost cost = graph.Cost();
  facts.flops = cost.flops;
  facts.bytes = cost.bytes;
  return facts;
}

inline DesignedKernel DesignOf(const OperatorGraph& graph, const CallPlan& plan) {
  DesignedKernel kernel = {.function = plan.function,
                           .strategy = std::string(plan.strategy),
                           .kernels = plan.kernels,
                           .mapping = plan.mapping,
                           .index_type = plan.index_type,
                           .threads = plan.threads,
                           .grid = plan.grid,
                           .shared_bytes = plan.shared_bytes,
                           .flops = plan.cost.flops,
                           .bytes = plan.cost.bytes};
  for (const int node : plan.nodes) {
    kernel.operators.emplace_back(graph.nodes()[static_cast<std::size_t>(node)].op->name);
  }
  for (const KernelReason& reason : plan.reasons)
    kernel.reasons.push_back({reason.choice, reason.why});
  return kernel;
}

// A correct verdict with launches, counters and figures of a device compiler.
inline Verdict CorrectVerdict(const std::vector<DesignedKernel>& kernels,
                              const std::string& backend, std::uint64_t structure) {
  Verdict verdict;
  verdict.status = VerdictStatus::kCorrect;
  verdict.backend = backend;
  verdict.policy = "strict";
  verdict.gate = "correctness";
  verdict.verified_on = "cpu_executor";
  verdict.full_size.state = "same";
  verdict.trials = {{"own", "own", "own", true}, {"grading", "centred", "strided", true}};
  verdict.device.compiler = "nvrtc 13.5.37";
  verdict.device.architecture = "sm_80";
  std::int64_t registers = 18;
  for (const DesignedKernel& kernel : kernels) {
    for (const std::string& name : kernel.kernels) {
      VerdictCounts counts = {.blocks = 3, .threads = 3 * kernel.threads};
      // Later answers have lower counters, so that there are rows about better answers.
      counts.global_load_requests = 240 - 8 * static_cast<std::int64_t>(structure % 16);
      counts.global_load_sectors = 4 * counts.global_load_requests;
      counts.global_store_requests = 12;
      counts.global_store_sectors = 48;
      counts.active_lanes = 36 * 32;
      verdict.launches.push_back({name, 1, kernel.threads, kernel.shared_bytes, 0.75, counts});
      verdict.device.kernels.push_back({.kernel = name, .registers = registers});
      registers += 7;
    }
  }
  return verdict;
}

inline KnownTask KnownTaskOf(TaskGenerator* tasks, int ways = 2) {
  KnownTask known;
  const OperatorGraph& graph = tasks->sampler().small();
  tasks->AppendSource(SourceSizes::kSmall, &known.task.code);
  const Json json = tasks->ToJson();
  known.task.shape_contract = json.TextAt("shape_contract");
  const ModuleText module =
      ModuleTextOfPlan(tasks->sampler().large(), graph, tasks->source().plan(), known.task.code,
                       SourceSizes::kSmall);
  std::size_t named = 0;
  for (const Value& value : graph.values()) {
    if (value.role != ValueRole::kInput) continue;
    const TensorFacts facts = FactsOf(value.type);
    known.task.inputs.push_back({.name = module.inputs.at(named++),
                                 .dtype = facts.dtype,
                                 .shape = facts.shape,
                                 .draw = "randn"});
  }
  known.id = DigestOf(known.task.code);
  known.facts = AnnotationOf(graph);
  known.facts.task = known.id;
  known.annotation = DigestOf(known.facts.ToJson().Dump());
  known.seed = 7;
  for (const KernelBackend* backend : KernelBackends()) {
    for (const LoweredAnswer& answer : LowerInVariants(graph, module, *backend, ways)) {
      Candidate candidate;
      candidate.task = known.id;
      candidate.backend = backend->name;
      candidate.code = answer.text;
      candidate.author = "lowering";
      candidate.structure = answer.Structure();
      candidate.estimated_speed = answer.speed.calibrated;
      for (const CallPlan& plan : answer.calls) {
        candidate.kernels.push_back(DesignOf(graph, plan));
      }
      candidate.verdict = CorrectVerdict(candidate.kernels, candidate.backend,
                                         DigestOf(candidate.structure).Prefix64());
      const Digest id = DigestOf(candidate.ToJson().Dump());
      known.candidates.push_back({id, std::move(candidate)});
    }
  }
  std::sort(known.candidates.begin(), known.candidates.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  return known;
}

}  // namespace kernelmill
