#include "stages/admit/admission.h"

#include <limits>

#include "stages/admit/symbolic_reply.h"

namespace kernelmill {
namespace {

constexpr int kChecksProgress = 4;  // Assessment::progress.

Result<Annotation> AnnotationOf(const Json& reported, const Digest& task) {
  Json json = reported;
  json["v"] = 1;  // The version of annotations without symbolic shapes, which another request
                  // yields.
  json["task"] = task.Hex();
  Result<Annotation> annotation = Annotation::FromJson(json);
  if (annotation.ok()) return annotation;
  return Status(ErrorCode::kWorker, annotation.status().message()).Within("the torch worker");
}

// The name of the first part in which two annotations differ; empty if they are equal.
std::string DifferingPart(const Json& a, const Json& b) {
  for (const auto& [part, value] : a.as_object()) {
    const Json* other = b.Find(part);
    if (other == nullptr || *other != value) return part;
  }
  return "";
}

}  // namespace

Record TaskRecord(const Task& task) {
  Record record;
  record.kind = RecordKind::kTask;
  record.payload = task.ToJson();
  return record;
}

Json Admission::RequestOf(std::string_view kind, const Task& task,
                          const WorkerLimits& limits) const {
  const Digest content = TaskRecord(task).ContentId();
  return Json::Object{{"kind", kind},
                      {"code", task.code},
                      {"seed", (options_.seed ^ content.Prefix64()) & 0x7fffffff},
                      {"limits", limits.ToJson()}};
}

Result<Admission::Attempt> Admission::Try(Task task, bool patient) {
  Attempt attempt;
  attempt.task = std::move(task);
  KM_ASSIGN(Json json, worker_.Call(RequestOf("admit", attempt.task, options_.limits)));
  KM_ASSIGN(attempt.reply, WorkerReply::FromJson(json));
  if (patient && StoppedByLimit(attempt.reply)) {
    KM_ASSIGN(json, worker_.Call(RequestOf("admit", attempt.task, options_.limits.Raised())));
    KM_ASSIGN(attempt.reply, WorkerReply::FromJson(json));
  }
  attempt.assessment = Assess(attempt.reply);
  return attempt;
}

Result<Annotation> Admission::Annotate(const Attempt& attempt, Assessment* assessment) {
  return Annotate(attempt.task, attempt.reply.annotation, assessment);
}

Result<Annotation> Admission::AnnotateAtSizes(const Task& task, const Attempt& attempt,
                                              Assessment* assessment) {
  KM_ASSIGN(const Json small, Outline(attempt.task, assessment));
  if (!assessment->admitted()) return Annotation();
  if (const std::string part = DifferingPart(attempt.reply.annotation, small); !part.empty()) {
    *assessment = {"shape_disagreement", "followed without data, its " + part + " differ",
                   kChecksProgress};
    return Annotation();
  }
  KM_ASSIGN(const Json reported, Outline(task, assessment));
  if (!assessment->admitted()) return Annotation();
  return Annotate(task, reported, assessment);
}

Result<Annotation> Admission::Annotate(const Task& task, const Json& reported,
                                       Assessment* assessment) {
  KM_ASSIGN(Annotation facts, AnnotationOf(reported, TaskRecord(task).ContentId()));
  KM_RETURN_IF_ERROR(FollowSymbols(task, &facts, assessment));
  return facts;
}

Result<Json> Admission::Outline(const Task& task, Assessment* assessment) {
  WorkerLimits limits = options_.limits.Raised();
  // The run computes nothing.
  limits.flops = limits.bytes = std::numeric_limits<std::int64_t>::max();
  KM_ASSIGN(const Json json, worker_.Call(RequestOf("outline", task, limits)));
  const Json* annotation = json.Find("annotation");
  if (annotation != nullptr) return *annotation;
  KM_ASSIGN(const WorkerReply reply, WorkerReply::FromJson(json));
  *assessment = Assess(reply);
  return Json();
}

Status Admission::FollowSymbols(const Task& task, Annotation* facts, Assessment* assessment) {
  const auto operators = static_cast<std::int64_t>(facts->operators.size());
  if (facts->truncated || operators > options_.symbolic_operators) return Status::Ok();
  WorkerLimits limits = options_.limits;
  limits.idle_ms = limits.Raised().idle_ms;  // Processor time is the limit, even when busy.
  KM_ASSIGN(const Json reply, worker_.Call(RequestOf("symbolic", task, limits)));
  if (reply.Find("end")->as_string() == "tampered") {
    *assessment = {"tampered", "while its shapes were followed in symbols", kChecksProgress};
    return Status::Ok();
  }
  KM_ASSIGN(SymbolicVerdict verdict, JudgeSymbolicReply(reply, task, *facts));
  facts->symbolic = std::move(verdict.shapes);
  if (!verdict.disagreement.empty()) {
    *assessment = {"shape_disagreement", std::move(verdict.disagreement), kChecksProgress};
  }
  return Status::Ok();
}

}  // namespace kernelmill
