#include "stages/transfer/file_transfers.h"

#include <memory>

#include "stages/engine/interrupt.h"
#include "stages/engine/pipeline.h"
#include "stages/engine/progress.h"

namespace kernelmill {
namespace {

struct MovedFile : PipelineItem {
  explicit MovedFile(const FileEntry* file) : entry(file) {}
  const FileEntry* entry;
  bool moved = false;
};

class FilePipeline : public Pipeline {
 public:
  FilePipeline(const std::string& name, const std::vector<FileEntry>& files,
               const std::function<Result<bool>(const FileEntry&)>& move)
      : files_(files), move_(move), progress_(name, static_cast<std::int64_t>(files.size()), 0) {}

  Result<std::unique_ptr<PipelineItem>> Next() override {
    if (Interrupted()) return InterruptedStatus();
    if (next_ == files_.size()) return std::unique_ptr<PipelineItem>();
    return std::unique_ptr<PipelineItem>(std::make_unique<MovedFile>(&files_[next_++]));
  }
  Result<std::unique_ptr<Lane>> OpenLane() override { return std::make_unique<Lane>(); }
  Status Process(PipelineItem& item, Lane&) override {
    auto& file = static_cast<MovedFile&>(item);
    KM_ASSIGN(file.moved, move_(*file.entry));
    return Status::Ok();
  }
  Status Take(PipelineItem& item) override {
    const auto& file = static_cast<MovedFile&>(item);
    ++(file.moved ? counts_.moved : counts_.there);
    if (file.moved) counts_.bytes += file.entry->size;
    progress_.Update(Shown());
    return Status::Ok();
  }

  TransferCounts Finish() {
    progress_.Finish(Shown());
    return counts_;
  }

 private:
  StepCounts Shown() const {
    StepCounts shown;
    shown.in = counts_.moved + counts_.there;
    shown.kept = counts_.moved;
    if (counts_.there > 0) shown.dropped["there"] = counts_.there;
    return shown;
  }

  const std::vector<FileEntry>& files_;
  const std::function<Result<bool>(const FileEntry&)>& move_;
  Progress progress_;
  TransferCounts counts_;
  std::size_t next_ = 0;
};

}  // namespace

Result<TransferCounts> MoveFiles(const std::string& name, const std::vector<FileEntry>& files,
                                 int at_once,
                                 const std::function<Result<bool>(const FileEntry&)>& move) {
  FilePipeline pipeline(name, files, move);
  KM_RETURN_IF_ERROR(RunInOrder(pipeline, at_once));
  return pipeline.Finish();
}

}  // namespace kernelmill
