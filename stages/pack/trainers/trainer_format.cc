#include "stages/pack/trainers/trainer_format.h"

#include "corpora/dataset/dataset_layout.h"
#include "stages/pack/trainers/axolotl_rows.h"
#include "stages/pack/trainers/llamafactory_rows.h"
#include "stages/pack/trainers/prompts_rows.h"
#include "stages/pack/trainers/resampled_rows.h"
#include "stages/pack/trainers/swift_rows.h"
#include "stages/pack/trainers/trl_rows.h"
#include "stages/pack/trainers/verl_rows.h"

namespace kernelmill {

std::string TrainerFormat::FileOf(const std::string& split) const {
  return std::string(kDataFolder) + "/" + split + (columns.empty() ? ".jsonl" : ".parquet");
}

const std::vector<TrainerFormat>& AllTrainerFormats() {
  static const std::vector<TrainerFormat> kFormats = {
      TrlFormat(),     TrlRlFormat(), VerlFormat(),      VerlRlFormat(),  LlamaFactoryFormat(),
      AxolotlFormat(), SwiftFormat(), ResampledFormat(), PromptsFormat(),
  };
  return kFormats;
}

const TrainerFormat* FindTrainerFormat(std::string_view name) {
  for (const TrainerFormat& format : AllTrainerFormats()) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

}  // namespace kernelmill
