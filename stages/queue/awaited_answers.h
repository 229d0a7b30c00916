// The answers of a run that have no verdict yet, in the order of their plan. Who leads the run
// looks in the verdict store for them.
//
// A look costs the same however many answers are awaited: it reads a few of the first ones, which
// are judged first, and a few others in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "stages/queue/answer_key.h"
#include "stages/queue/queued_run.h"
#include "stages/verify/judge/judge_pool.h"
#include "stages/verify/judge/verdict_store.h"

namespace kernelmill {

class AwaitedAnswers {
 public:
  // The answers without a verdict in the inputs of these partitions. `output` is the folder of the
  // run, and outlives it.
  static Result<AwaitedAnswers> Of(const QueuedRun& run, const std::string& output,
                                   const std::vector<std::int64_t>& partitions);

  // Looks for verdicts of a few answers, or of all of them, and no longer awaits those that it
  // finds or that are in quarantine. An error only if the verdict store has one.
  Status Look(bool all);
  bool empty() const { return awaited_.empty(); }
  // The inputs that have no awaited answer, of all in these partitions.
  std::int64_t complete_inputs() const { return inputs_ - static_cast<std::int64_t>(open_.size()); }
  // The keys of those that are awaited and have none of these places.
  std::vector<AnswerKey> KeysWithout(const std::set<std::string>& places) const;
  // The places of those that were in quarantine.
  const std::set<std::string>& quarantined() const { return quarantined_; }

 private:
  struct Awaited {
    AnswerKey key;
    std::string verdict;  // VerdictKey().
    bool found = false;
  };
  AwaitedAnswers(const std::string& output, VerdictStore store)
      : output_(output), store_(std::move(store)) {}
  // Looks at `count` answers from `first` on; returns how many it found.
  Result<std::size_t> LookAt(std::size_t first, std::size_t count);

  const std::string& output_;
  VerdictStore store_;
  std::vector<Awaited> awaited_;
  std::map<std::int64_t, std::int64_t> open_;  // By input: its awaited answers.
  std::set<std::string> quarantined_;
  std::int64_t inputs_ = 0;
  std::size_t turn_ = 0;  // Where the next look in turn begins.
};

}  // namespace kernelmill
