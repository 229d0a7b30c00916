#include "stages/mine/index_kernels_step.h"

#include "stages/mine/mined_items.h"

namespace kernelmill {

Result<Outcome> IndexKernelsStep::Process(const Input& input, Lane&) {
  KM_ASSIGN(const MinedRepository mined, MinedRepository::FromText(input.body));
  KM_ASSIGN(const std::shared_ptr<const NativeRepository> repository,
            indices_->GetNative(input.key));
  const std::vector<NativeFile>& files = repository->index.files();
  Outcome outcome;
  std::int64_t launches = 0;
  for (const NativeFile& file : files) {
    for (std::size_t i = 0; i < file.cuda.items.size(); ++i) {
      const CudaItem& item = file.cuda.items[i];
      launches += static_cast<std::int64_t>(item.launches.size());
      if (!item.kernel || !item.body) continue;
      const MinedKernel entry{
          {input.key, mined.url, mined.commit, file.path}, item.name, static_cast<std::int64_t>(i)};
      outcome.outputs.push_back({entry.Key(), entry.ToJson().Dump()});
    }
  }
  outcome.counters = {{"files", static_cast<std::int64_t>(files.size())},
                      {"kernels", static_cast<std::int64_t>(outcome.outputs.size())},
                      {"launches", launches}};
  return outcome;
}

}  // namespace kernelmill
