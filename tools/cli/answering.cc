#include "tools/cli/answering.h"

#include "tools/cli/command.h"

namespace kernelmill {

void AnsweringOptions::AddTo(CLI::App* command) {
  command->add_option("--backend", backend, "cuda or musa")
      ->check(CLI::IsMember(KernelBackendNames()));
  command->add_option("--ways", ways, "Answers of different structure to each")
      ->check(kPositive);
  command->add_flag("--sanitize", sanitize, "Check accesses for bounds and races too");
  command->add_flag("--unverified", unverified, "Run nothing: only say what can be answered");
  command
      ->add_option("--jobs", jobs,
                   "Answered at once, each with 1.5 GB; by default one a processor")
      ->check(CLI::Range(1, 256));
}

Result<Answering> Answering::Of(const AnsweringOptions& options) {
  Answering answering(options);
  KM_ASSIGN(answering.backend_, KernelBackendNamed(options.backend));
  if (options.unverified) return answering;
  answering.judging_ = {
      .backend = answering.backend_, .memory = options.sanitize, .races = options.sanitize};
  KM_RETURN_IF_ERROR(JudgePool().Prepare(*answering.judging_));
  return answering;
}

Result<std::unique_ptr<Lane>> Answering::OpenLane() const {
  return std::unique_ptr<Lane>(std::make_unique<AnsweringLane>());
}

Status Answering::Answer(const std::string& reference, const OperatorGraph& graph,
                         const ModuleText& module, AnsweringLane* lane,
                         JudgedAnswers* answers) const {
  LoweringResult& result = answers->result;
  result.backend = options_.backend;
  for (const Node& node : graph.nodes()) result.operators.emplace_back(node.op->name);
  for (LoweredAnswer& lowered :
       LowerInVariants(graph, module, *backend_, options_.ways, &result.refusal)) {
    LoweringResult::Answer answer{.structure = lowered.Structure(), .speed = lowered.speed};
    for (const KernelPlan& plan : lowered.kernels) answer.strategies.emplace_back(plan.strategy);
    Verdict verdict;
    if (judging_) {
      KM_ASSIGN(verdict, lane->judges.Verify(*judging_, reference, lowered.text));
      verdict.RequireChecks();
      answer.status = StatusName(verdict.status);
      answer.reason = verdict.reason;
    }
    result.answers.push_back(std::move(answer));
    answers->texts.push_back(std::move(lowered.text));
    answers->verdicts.push_back(std::move(verdict));
  }
  return Status::Ok();
}

}  // namespace kernelmill
