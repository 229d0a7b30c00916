#include "stages/mix/mix_spec.h"

#include <cmath>

#include "generators/wording/number_format.h"
#include "stages/mix/mixture.h"

namespace kernelmill {
namespace {

std::string Preview(const RunForecast& forecast) {
  const Result<MixOptions> options = MixOptions::Of(forecast.config);
  if (!options.ok()) return options.status().message();
  double whole = 0;
  for (const auto& [family, share] : options->shares) whole += share;
  std::string text;
  for (const auto& [family, share] : options->shares) {
    if (share <= 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(FamilyName(family)) + " " +
            Percent(std::llround(share * 1000), std::llround(whole * 1000));
  }
  return "weights by trained tokens: " + text;
}

}  // namespace

StepSpec MixSpec() {
  return {.name = "mix",
          .takes = "rows",
          .does = "each row gets its weight, so that every family has its share of trained tokens",
          .reads = {"render", "measure"},
          .keys = MixKeys,
          .validate = [](const Config& config) { return MixOptions::Of(config).status(); },
          .preview = Preview};
}

}  // namespace kernelmill
