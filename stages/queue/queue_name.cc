#include "stages/queue/queue_name.h"

#include "manifests/digest.h"
#include "stages/queue/queue_keys.h"
#include "stages/verify/judge/judge_identity.h"
#include "stages/verify/judge/judging_secret.h"
#include "stages/verify/judge/verdict_store.h"

namespace kernelmill {

Result<std::string> QueueName() {
  constexpr std::size_t kDigits = 12;
  KM_ASSIGN(const Digest judge, JudgeIdentity());
  KM_ASSIGN(const VerdictStore store, VerdictStore::Open(VerdictStore::DefaultFolder()));
  // Every store has a secret of its own.
  KM_ASSIGN(const std::string secret, store.Secret());
  const Digest digest =
      Sha256().Field("queue 2").Field(judge.Hex()).Field(CommitmentTo(secret)).Finish();
  return std::string(kQueuePrefix) + digest.Hex().substr(0, kDigits);
}

}  // namespace kernelmill
