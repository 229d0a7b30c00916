#include "stages/mine/index_ports_step.h"

#include "parsers/kernel_slices/kernel_twins.h"
#include "stages/mine/mined_items.h"

namespace kernelmill {

Result<Outcome> IndexPortsStep::Process(const Input& input, Lane&) {
  KM_ASSIGN(const MinedRepository mined, MinedRepository::FromText(input.body));
  KM_ASSIGN(const std::shared_ptr<const NativeRepository> repository,
            indices_->GetNative(input.key));
  const NativeIndex& index = repository->index;
  Outcome outcome;
  for (const KernelTwins& twins : FindKernelTwins(index)) {
    const MinedKernel kernel{
        {input.key, mined.url, mined.commit, index.files()[twins.kernel.file].path},
        index.item(twins.kernel.file, twins.kernel.item).name,
        twins.kernel.item};
    const MinedPort entry{kernel, index.files()[twins.port.file].path, twins.port.item,
                          std::string(twins.backend->name)};
    outcome.outputs.push_back({entry.Key(), entry.ToJson().Dump()});
  }
  outcome.counters = {{"ports", static_cast<std::int64_t>(outcome.outputs.size())}};
  return outcome;
}

}  // namespace kernelmill
