#include "tools/cli/demo/demo_samples.h"

#include "corpora/dataset/dataset_reader.h"
#include "corpora/kernel_backend.h"
#include "corpora/records/candidate.h"
#include "generators/wording/fenced_code.h"

namespace kernelmill {
namespace {

constexpr std::string_view kKernel = "__global__", kComment = "// The same once more.\n";

std::string LineOf(const Candidate& candidate, const std::string& code, const std::string& id) {
  const std::string message = "The module with its kernels:\n\n" + Fenced("python", code);
  return Json(Json::Object{{"task", candidate.task.Hex()},
                           {"backend", candidate.backend},
                           {"model", kDemoMaker},
                           {"id", id},
                           {"message", message},
                           {"finish_reason", "stop"}})
             .Dump() +
         "\n";
}

}  // namespace

Result<DemoSamples> DemoSamplesOf(const std::string& dataset) {
  DemoSamples samples;
  KM_ASSIGN(DatasetReader reader, DatasetReader::Open(dataset));
  KM_RETURN_IF_ERROR(
      reader.ForEach(Digest(), [&](const Digest& id, const Record& record, bool*) -> Status {
        if (record.kind != RecordKind::kCandidate) return Status::Ok();
        KM_ASSIGN(const Candidate candidate, Candidate::FromJson(record.payload));
        if (candidate.backend != kCudaBackend.name) return Status::Ok();
        const bool is_right = candidate.IsAnswer();
        // A bug that only makes an answer slow is nothing that a verdict without a GPU shows.
        if (!is_right && candidate.verdict.status == VerdictStatus::kCorrect) return Status::Ok();
        const std::string name = id.Hex().substr(0, 12);
        samples.text += LineOf(candidate, candidate.code, name);
        ++(is_right ? samples.right : samples.wrong);
        if (!is_right) return Status::Ok();
        const std::size_t kernel = candidate.code.find(kKernel);
        if (kernel == std::string::npos) return Status::Ok();
        std::string copy = candidate.code;
        copy.insert(kernel, kComment);
        samples.text += LineOf(candidate, copy, name + "-copy");
        ++samples.copies;
        return Status::Ok();
      }));
  if (samples.right > 0) return samples;
  return Status(ErrorCode::kNotFound, dataset + " has no right CUDA answer to make samples of");
}

}  // namespace kernelmill
