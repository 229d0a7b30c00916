#include "stages/recipes/judging_file.h"

#include "manifests/commit_file.h"
#include "manifests/digest.h"
#include "manifests/json.h"
#include "stages/recipes/published_files.h"
#include "stages/verify/judge/judging_secret.h"
#include "stages/verify/run/judge_keys.h"

namespace kernelmill {

Result<std::string> JudgingText(const Config& config, const std::string& secret) {
  KM_ASSIGN(const JudgingChoice choice, JudgingChoiceOf(config));
  const bool is_secret = JudgesInSecret(config);
  return Json(Json::Object{{"seed", static_cast<std::int64_t>(choice.seed)},
                           {"secret", is_secret ? Json(secret) : Json()},
                           {"commitment", is_secret ? Json(CommitmentTo(secret)) : Json()}})
      .Pretty();
}

Result<std::string> PublishedSecret(const std::string& folder, const Config& config) {
  const std::string path = folder + "/" + std::string(kJudgingName);
  const auto corrupt = [&](const std::string& why) {
    return Status(ErrorCode::kCorrupt, path + ": " + why);
  };
  KM_ASSIGN(const std::string text, ReadFile(path));
  const Result<Json> judging = Json::Parse(text);
  if (!judging.ok()) return corrupt(judging.status().message());
  const std::string secret = judging->TextAt("secret");
  if (JudgesInSecret(config)) {
    // A secret has the digits of a digest.
    const Result<Digest> digits = Digest::FromHex(secret);
    if (!digits.ok() || digits->Hex() != secret) {
      return corrupt("it has no secret, though the configuration has answers judged in secret");
    }
    if (CommitmentTo(secret) != judging->TextAt("commitment")) {
      return corrupt("the commitment is not that of the secret");
    }
  }
  KM_ASSIGN(const std::string expected, JudgingText(config, secret));
  if (text == expected) return JudgesInSecret(config) ? secret : "";
  return corrupt("a run with this configuration publishes other bytes");
}

}  // namespace kernelmill
