#include "stages/verify/run/judge_keys.h"

#include <algorithm>

#include "stages/verify/legality/policy.h"

namespace kernelmill {
namespace {

constexpr char kPolicyKey[] = "judge.policy", kTargetKey[] = "judge.target",
               kContractKey[] = "judge.contract", kSanitizeKey[] = "judge.sanitize",
               kProfileKey[] = "judge.profile", kSeedKey[] = "judge.seed",
               kOwnSizeKey[] = "judge.own_size_seconds";

Status Refused(const char* key, const std::string& why) {
  return Status(ErrorCode::kConfig, std::string(key) + ": " + why);
}

}  // namespace

std::vector<ConfigKey> JudgeKeys() {
  return {
      {kJudgeBackendKey, ConfigType::kString, std::string(kCudaBackend.name), "",
       "The language of samples that name none: cuda or musa."},
      {kPolicyKey, ConfigType::kString, "strict", "",
       "The rules that samples are judged under: strict, mooreeval, kernelbench or "
       "kernelbench_2024."},
      {kTargetKey, ConfigType::kString, "", "",
       "The architecture that verdicts on that language hold for. Default: sm_80, or mp_31."},
      {kContractKey, ConfigType::kString, "", "",
       "What samples have to handle beside the task's own inputs: any_shape, any_layout, "
       "any_values, module_buffers, or several with commas. Tasks may ask for more."},
      {kSanitizeKey, ConfigType::kString, "none", "",
       "Accesses of kernels to check: memory (bounds), race, all or none."},
      {kProfileKey, ConfigType::kBool, false, "",
       "Whether the memory accesses of correct samples are counted. Of samples with one "
       "structure, the one with the fewest is then selected."},
      {kSeedKey,
       ConfigType::kInteger,
       -1,
       "",
       "Draws inputs from this public seed. By default, -1, they follow from a secret that is "
       "published with the dataset.",
       {-1, 1e9}},
      {kOwnSizeKey, ConfigType::kInteger, 10, "seconds",
       "The processor time that forward() may take at the sizes of a task that is judged at "
       "smaller ones; 0: it does not run whole there.",
       kNotNegative},
  };
}

Result<JudgingChoice> JudgingChoiceOf(const Config& config) {
  JudgingChoice choice;
  const Result<const KernelBackend*> backend = KernelBackendNamed(config.String(kJudgeBackendKey));
  if (!backend.ok()) return Refused(kJudgeBackendKey, backend.status().message());
  choice.backend = *backend;
  choice.policy = config.String(kPolicyKey);
  const auto& policies = AllVerifyPolicies();
  if (std::none_of(policies.begin(), policies.end(),
                   [&](const VerifyPolicy& one) { return one.name == choice.policy; })) {
    return Refused(kPolicyKey, "there is no policy " + choice.policy);
  }
  choice.target = config.String(kTargetKey);
  if (const auto target = choice.backend->TargetNamed(choice.target); !target.ok()) {
    return Refused(kTargetKey, target.status().message());
  }
  const Result<TaskContract> contract = TaskContract::Parse(config.String(kContractKey));
  if (!contract.ok()) return Refused(kContractKey, contract.status().message());
  choice.contract = *contract;
  const std::string sanitize = config.String(kSanitizeKey);
  if (sanitize != "none" && sanitize != "memory" && sanitize != "race" && sanitize != "all") {
    return Refused(kSanitizeKey, "it is " + sanitize + ", it can be memory, race, all or none");
  }
  choice.memory = sanitize == "memory" || sanitize == "all";
  choice.races = sanitize == "race" || sanitize == "all";
  choice.count = config.Bool(kProfileKey);
  if (!JudgesInSecret(config)) choice.seed = static_cast<std::uint64_t>(config.Integer(kSeedKey));
  choice.own_size_cpu_ms = config.Integer(kOwnSizeKey) * 1'000;
  return choice;
}

bool JudgesInSecret(const Config& config) { return config.Integer(kSeedKey) < 0; }

}  // namespace kernelmill
