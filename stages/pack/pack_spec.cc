#include "stages/pack/pack_spec.h"

#include "stages/pack/pack_keys.h"

namespace kernelmill {

StepSpec PackSpec() {
  return {.name = "pack",
          .takes = "records",
          .does = "shards, files for trainers, card, report and manifest are written",
          .reads = {"render", "measure"},
          .keys = PackKeys,
          .validate = [](const Config& config) { return PackOptions::Of(config).status(); },
          .preview =
              [](const RunForecast& forecast) {
                std::string text = "shards, ";
                for (const std::string& format : forecast.config.Strings("pack.formats")) {
                  text += format + ", ";
                }
                return text + "card, report, manifest";
              }};
}

}  // namespace kernelmill
