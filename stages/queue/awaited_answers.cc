#include "stages/queue/awaited_answers.h"

#include <algorithm>
#include <utility>

#include "stages/queue/quarantined_answers.h"

namespace kernelmill {
namespace {

constexpr std::size_t kAtOnce = 16;

}  // namespace

Result<AwaitedAnswers> AwaitedAnswers::Of(const QueuedRun& run, const std::string& output,
                                          const std::vector<std::int64_t>& partitions) {
  KM_ASSIGN(VerdictStore store, VerdictStore::Open(VerdictStore::DefaultFolder()));
  AwaitedAnswers answers(output, std::move(store));
  JudgePool judges;
  const Plan& plan = run.plan();
  const std::string identity = plan.Identity().Hex();
  for (const std::int64_t partition : partitions) {
    const std::int64_t end = plan.FirstInputOf(partition + 1);
    for (std::int64_t input = plan.FirstInputOf(partition); input < end; ++input) {
      ++answers.inputs_;
      KM_ASSIGN(const std::vector<AskedCandidate> candidates, run.CandidatesOf(input));
      for (const AskedCandidate& candidate : candidates) {
        KM_ASSIGN(std::string verdict,
                  judges.KeyOf(candidate.judging, candidate.reference, candidate.code));
        KM_ASSIGN(const std::optional<Json> known, answers.store_.Find(verdict));
        if (known) continue;
        answers.awaited_.push_back(
            {{output, identity, input, candidate.place}, std::move(verdict)});
        ++answers.open_[input];
      }
    }
  }
  return answers;
}

Status AwaitedAnswers::Look(bool all) {
  for (const std::string& place : QuarantinedPlaces(output_)) {
    if (quarantined_.contains(place)) continue;
    const auto given_up = std::ranges::find_if(
        awaited_, [&](const Awaited& answer) { return answer.key.place == place; });
    if (given_up == awaited_.end()) continue;
    given_up->found = true;
    quarantined_.insert(place);
  }
  if (all) {
    KM_RETURN_IF_ERROR(LookAt(0, awaited_.size()).status());
  } else {
    std::size_t found = 1;
    for (std::size_t first = 0; found > 0; first += kAtOnce) {
      KM_ASSIGN(found, LookAt(first, kAtOnce));
    }
    if (turn_ >= awaited_.size()) turn_ = 0;
    KM_RETURN_IF_ERROR(LookAt(turn_, kAtOnce).status());
    turn_ += kAtOnce;
  }
  std::erase_if(awaited_, [&](const Awaited& answer) {
    if (!answer.found) return false;
    const auto input = open_.find(answer.key.input);
    if (--input->second == 0) open_.erase(input);
    return true;
  });
  return Status::Ok();
}

Result<std::size_t> AwaitedAnswers::LookAt(std::size_t first, std::size_t count) {
  std::size_t found = 0;
  for (std::size_t i = first; i < std::min(first + count, awaited_.size()); ++i) {
    if (awaited_[i].found) continue;
    KM_ASSIGN(const std::optional<Json> known, store_.Find(awaited_[i].verdict));
    if (!known) continue;
    awaited_[i].found = true;
    ++found;
  }
  return found;
}

std::vector<AnswerKey> AwaitedAnswers::KeysWithout(const std::set<std::string>& places) const {
  std::vector<AnswerKey> keys;
  for (const Awaited& answer : awaited_) {
    if (!places.contains(answer.key.place)) keys.push_back(answer.key);
  }
  return keys;
}

}  // namespace kernelmill
