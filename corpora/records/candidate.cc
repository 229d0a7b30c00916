#include "corpora/records/candidate.h"

#include "corpora/kernel_backend.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 2;

template <typename T>
Json::Array ArrayOf(const std::vector<T>& items) {
  Json::Array array;
  for (const T& item : items) array.push_back(item.ToJson());
  return array;
}

}  // namespace

Json DesignReason::ToJson() const { return Json::Object{{"choice", choice}, {"why", why}}; }

Result<DesignReason> DesignReason::FromJson(const Json& json) {
  DesignReason read;
  JsonFields fields(json, "reason");
  fields.Read("choice", &read.choice);
  fields.Read("why", &read.why);
  KM_RETURN_IF_ERROR(fields.Finish());
  return read;
}

Json DesignedKernel::ToJson() const {
  return Json::Object{{"function", function},
                      {"strategy", strategy},
                      {"operators", kernelmill::ToJson(operators)},
                      {"head", head},
                      {"kernels", kernelmill::ToJson(kernels)},
                      {"mapping", mapping},
                      {"index_type", index_type},
                      {"threads", threads},
                      {"grid", grid},
                      {"shared_bytes", shared_bytes},
                      {"flops", flops},
                      {"bytes", bytes},
                      {"reasons", ArrayOf(reasons)}};
}

Result<DesignedKernel> DesignedKernel::FromJson(const Json& json) {
  DesignedKernel read;
  JsonFields fields(json, "kernel");
  fields.Read("function", &read.function);
  fields.Read("strategy", &read.strategy);
  fields.Read("operators", &read.operators);
  fields.Read("head", &read.head);
  fields.Read("kernels", &read.kernels);
  fields.Read("mapping", &read.mapping);
  fields.Read("index_type", &read.index_type);
  fields.Read("threads", &read.threads);
  fields.Read("grid", &read.grid);
  fields.Read("shared_bytes", &read.shared_bytes);
  fields.Read("flops", &read.flops);
  fields.Read("bytes", &read.bytes);
  fields.ReadArray("reasons", &read.reasons, DesignReason::FromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  return read;
}

bool IsSlow(double estimated_speed) {
  return estimated_speed > 0 && estimated_speed < kSlowSpeed;
}

bool Candidate::IsAnswer() const {
  // A mutant whose bug makes it slow has a correct verdict, but is not an answer.
  return verdict.status == VerdictStatus::kCorrect && bug.empty();
}

bool Candidate::IsTaught() const {
  if (!IsAnswer()) return false;
  return !IsSlow(estimated_speed) || (kernels.size() == 1 && kernels[0].operators.size() == 1);
}

Json Candidate::ToJson() const {
  return Json::Object{{"v", kVersion},
                      {"task", task.Hex()},
                      {"backend", backend},
                      {"code", code},
                      {"author", author},
                      {"structure", structure},
                      {"kernels", ArrayOf(kernels)},
                      {"estimated_speed", estimated_speed},
                      {"parent", parent},
                      {"bug", bug},
                      {"verdict", verdict.ToJson()},
                      {"memory_checked", memory_checked},
                      {"races_checked", races_checked}};
}

Result<Candidate> Candidate::FromJson(const Json& json) {
  Candidate read;
  JsonFields fields(json, "candidate");
  fields.Version(kVersion);
  fields.Read("task", &read.task);
  fields.Read("backend", &read.backend);
  fields.Read("code", &read.code);
  fields.Read("author", &read.author);
  fields.Read("structure", &read.structure);
  fields.ReadArray("kernels", &read.kernels, DesignedKernel::FromJson);
  fields.Read("estimated_speed", &read.estimated_speed);
  fields.Read("parent", &read.parent);
  fields.Read("bug", &read.bug);
  fields.ReadValue("verdict", &read.verdict, Verdict::FromJson);
  fields.Read("memory_checked", &read.memory_checked);
  fields.Read("races_checked", &read.races_checked);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_RETURN_IF_ERROR(CheckBackendName("candidate", read.backend));
  return read;
}

}  // namespace kernelmill
