#include "stages/verify/judge/judging_choice.h"

#include "manifests/json_fields.h"

namespace kernelmill {

Json::Object JudgingChoice::ToJson() const {
  return {{"policy", policy},
          {"backend", backend->name},
          {"target", target},
          {"seed", static_cast<std::int64_t>(seed)},
          {"training", training},
          {"own_size_cpu_ms", own_size_cpu_ms},
          {"contract", contract.Text()},
          {"memory", memory},
          {"races", races},
          {"count", count}};
}

Result<JudgingChoice> JudgingChoice::FromJson(const Json& json) {
  JudgingChoice choice;
  std::string backend, contract;
  std::int64_t seed = 0;
  JsonFields fields(json, "how to judge");
  fields.Read("policy", &choice.policy);
  fields.Read("backend", &backend);
  fields.Read("target", &choice.target);
  fields.Read("seed", &seed);
  fields.Read("training", &choice.training);
  fields.Read("own_size_cpu_ms", &choice.own_size_cpu_ms);
  fields.Read("contract", &contract);
  fields.Read("memory", &choice.memory);
  fields.Read("races", &choice.races);
  fields.Read("count", &choice.count);
  KM_RETURN_IF_ERROR(fields.Finish());
  choice.seed = static_cast<std::uint64_t>(seed);
  KM_ASSIGN(choice.backend, KernelBackendNamed(backend));
  KM_ASSIGN(choice.contract, TaskContract::Parse(contract));
  return choice;
}

}  // namespace kernelmill
