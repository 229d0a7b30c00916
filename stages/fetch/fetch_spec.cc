#include "stages/fetch/fetch_spec.h"

namespace kernelmill {

StepSpec FetchSpec() {
  return {.name = "fetch",
          .takes = "repositories",
          .does = "one commit of each repository that is not on this machine is fetched",
          .off = [](const RunForecast& forecast) -> std::string {
            return forecast.repositories == 0 ? "no source is a repository" : "";
          },
          .preview =
              [](const RunForecast& forecast) {
                return std::to_string(forecast.unfetched) + " of " +
                       std::to_string(forecast.repositories) +
                       (forecast.repositories == 1 ? " source" : " sources") + " to fetch";
              }};
}

}  // namespace kernelmill
