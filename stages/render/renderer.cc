#include "stages/render/renderer.h"

#include <algorithm>

#include "corpora/annotation.h"
#include "corpora/kernel_source.h"
#include "corpora/task.h"
#include "generators/shape_reasoning.h"

namespace kernelmill {
namespace {

Result<Rendering> RenderTask(const std::vector<Record>& records, const Record& subject,
                             std::int64_t seed, MiningLane&) {
  const auto annotated = std::find_if(records.begin(), records.end(), [](const Record& record) {
    return record.kind == RecordKind::kAnnotation;
  });
  if (annotated == records.end()) {
    return Status(ErrorCode::kInternal, "render: a task without its annotation");
  }
  KM_ASSIGN(const Task task, Task::FromJson(subject.payload));
  KM_ASSIGN(const Annotation annotation, Annotation::FromJson(annotated->payload));
  Rendering rendering;
  rendering.inputs = {subject.ContentId(), annotated->ContentId()};
  if (auto row = WriteShapeReasoning(rendering.inputs[0], task, annotation, seed)) {
    rendering.rows.push_back(*std::move(row));
  } else {
    rendering.reason = "nothing_to_teach";
    rendering.detail = "no value along forward()";
    rendering.original = task.code;
  }
  return rendering;
}

// The kernel is parsed again for it: in the child, as all that nobody vouches for.
Result<Rendering> RenderKernel(const std::vector<Record>&, const Record& subject, std::int64_t seed,
                               MiningLane& lane) {
  KM_ASSIGN(const KernelSource kernel, KernelSource::FromJson(subject.payload));
  Rendering rendering;
  rendering.inputs = {subject.ContentId()};
  rendering.original = kernel.code;
  KM_ASSIGN(const MiningReply reply, lane.child.Ask(MiningService::ExplainRequest(
                                         rendering.inputs[0], subject.payload, seed)));
  rendering.reason = reply.reason;
  rendering.detail = reply.detail;
  if (!reply.reason.empty()) return rendering;
  KM_ASSIGN(const Json rows, Json::Parse(reply.body));
  for (const Json& item : rows.as_array()) {
    KM_ASSIGN(TrainingRecord row, TrainingRecord::FromJson(item));
    rendering.rows.push_back(std::move(row));
  }
  return rendering;
}

}  // namespace

const Renderer* RendererOf(RecordKind kind) {
  static const std::vector<Renderer> kRenderers = {
      {RecordKind::kTask, RenderTask},
      {RecordKind::kKernel, RenderKernel},
  };
  for (const Renderer& renderer : kRenderers) {
    if (renderer.subject == kind) return &renderer;
  }
  return nullptr;
}

}  // namespace kernelmill
