#include "stages/render/renderer.h"

#include <optional>

#include "corpora/records/kernel_port.h"
#include "corpora/records/kernel_source.h"
#include "corpora/token_estimate.h"
#include "generators/grounding/row_rules.h"
#include "generators/grounding/unanswerable_claims.h"
#include "generators/kernel_prose/port_prose.h"
#include "generators/known_task/difficulty.h"
#include "stages/render/explain_operation.h"

namespace kernelmill {
namespace {

Result<Rendering> RenderTask(const RenderInput& input, UntrustedChild&) {
  KM_ASSIGN(KnownTask known, KnownTask::Of(input.subject, input.records));
  known.seed = input.seed;
  known.validation = input.validation;
  Rendering rendering;
  std::vector<WrittenRow> rows;
  // Samples were judged: what a model says beside its code is not checked.
  const bool sampled = !known.samples.empty();
  for (const TaskRows& family : sampled ? AllSampleRows() : AllTaskRows()) {
    family.write(known, &rows);
  }
  for (WrittenRow& row : rows) {
    if (const auto violation = sampled ? std::nullopt : FindRowViolation(known, row)) {
      rendering.rejected_rows.push_back(
          {std::move(row.training), std::string(violation->reason), violation->detail});
    } else {
      rendering.rows.push_back(std::move(row));
    }
  }
  if (rows.empty()) {
    rendering.reason = "nothing_to_teach";
    rendering.detail = "no value along forward()";
    rendering.quarantined_text = known.task.code;
  }
  return rendering;
}

// Appends a row about a mined kernel or port, or rejects it.
void AddMinedRow(TrainingRecord training, const Digest& subject, Rendering* rendering) {
  if (const auto claims = UnanswerableClaims(training); !claims.empty()) {
    rendering->rejected_rows.push_back(
        {std::move(training), std::string(kNotAnswerable), claims.front()});
    return;
  }
  const double difficulty = DifficultyOf({}, EstimateTokens(training).answer);
  rendering->rows.push_back({std::move(training), {subject}, 1, difficulty});
}

// The kernel is untrusted input, so the child parses it again for its rows.
Result<Rendering> RenderKernel(const RenderInput& input, UntrustedChild& child) {
  const Record& subject = input.subject;
  KM_ASSIGN(const KernelSource kernel, KernelSource::FromJson(subject.payload));
  Rendering rendering;
  const Digest id = subject.ContentId();
  rendering.quarantined_text = kernel.code;
  KM_ASSIGN(const UntrustedReply reply, ExplainKernel(child, id, subject.payload, input.seed));
  rendering.reason = reply.reason;
  rendering.detail = reply.detail;
  if (!reply.reason.empty()) return rendering;
  KM_ASSIGN(const Json rows, Json::Parse(reply.body));
  for (const Json& item : rows.as_array()) {
    KM_ASSIGN(TrainingRecord training, TrainingRecord::FromJson(item));
    AddMinedRow(std::move(training), id, &rendering);
  }
  return rendering;
}

// The port is split into tokens only, for which no child is needed.
Result<Rendering> RenderPort(const RenderInput& input, UntrustedChild&) {
  KM_ASSIGN(const KernelPort port, KernelPort::FromJson(input.subject.payload));
  const Digest id = input.subject.ContentId();
  Rendering rendering;
  AddMinedRow(WritePortRow(id, port, input.seed), id, &rendering);
  return rendering;
}

}  // namespace

const Renderer* RendererOf(RecordKind kind) {
  static const std::vector<Renderer> kRenderers = {
      {RecordKind::kTask, RenderTask},
      {RecordKind::kKernel, RenderKernel},
      {RecordKind::kPort, RenderPort},
  };
  for (const Renderer& renderer : kRenderers) {
    if (renderer.subject == kind) return &renderer;
  }
  return nullptr;
}

}  // namespace kernelmill
