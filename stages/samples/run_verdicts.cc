#include "stages/samples/run_verdicts.h"

namespace kernelmill {

Result<std::map<std::string, Verdict>> VerdictsOf(const Run& run) {
  std::map<std::string, Verdict> verdicts;
  KM_RETURN_IF_ERROR(
      run.ForEachOutput("verify", [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(const Json line, Json::Parse(body));
        KM_ASSIGN(verdicts[line.TextAt("key")], Verdict::FromJson(*line.Find("verdict")));
        return Status::Ok();
      }));
  return verdicts;
}

}  // namespace kernelmill
