// Asks an endpoint for every sample that a file of answers lacks, several requests at a time on one
// thread, and appends each answer to the file. What fails in passing is asked again after a while;
// a request that the server refuses, or that has failed too often, becomes a line with its error.
//
// The file is the only state: a run that was killed is continued by running it again, which reads
// what is answered and asks for the rest.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "stages/ask/api_key.h"
#include "stages/ask/ask_tally.h"
#include "stages/ask/prompt_list.h"

namespace kernelmill {

struct AskOptions {
  std::string url;  // ChatUrl::url.
  ApiKey key;
  std::string output;
  bool stream = false;
  int concurrency = 8;                   // The most requests at a time.
  std::int64_t most_choices = 0;         // Of one request; 0: all samples of a prompt at once.
  std::int64_t requests_per_minute = 0;  // 0: no limit.
  std::int64_t tokens_per_minute = 0;    // Of prompts and answers; 0: no limit.
  int retries = 6;                       // Of one request, beside its first try.
  std::chrono::milliseconds first_wait{
      1'000};                         // Before the first of them (stages/engine/retry_wait.h).
  std::chrono::seconds silence{600};  // After so long without a byte a request has failed.
  bool ask_refused = false;           // Also what an earlier run was refused.
};

struct AskSummary {
  std::int64_t prompts = 0;
  std::int64_t samples = 0;  // Of all prompts. Each is in one of the next four counts.
  std::int64_t before = 0;   // Answered by an earlier run.
  std::int64_t refused_before = 0;
  AskTally run;               // Of this run: run.answered and run.Failed().
  std::int64_t missing = 0;   // Not answered, without an error: the run was stopped.
  std::int64_t requests = 0;  // Sent by this run, repeated ones included.
  std::int64_t repeated = 0;
  std::int64_t others = 0;   // Samples in the file that no prompt asks for.
  std::string last_failure;  // Why the last request failed for good in this run.
  AskTally file;             // Of all lines in the file.
};

// `summary` is filled in even if an error is returned. Errors: those of AnswerFile::Open(); kUsage
// if the file has answers to other prompts or of other sampling parameters under the same names, or
// the server does not accept the key; kUnreachable when samples are missing because requests failed
// in passing, or so many requests failed one after the other that the run was stopped; kRefused
// when samples are missing because the server refused requests; kInterrupted.
Status AskForSamples(PromptList* prompts, const AskOptions& options, AskSummary* summary);

}  // namespace kernelmill
