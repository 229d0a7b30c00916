// One answer that a model gave to a task, as a file of samples holds it, whatever the format of the
// file. ParseSamples() (sample_format.h) makes it; joining it to its task, judging and selecting it
// are the business of others.
//
// Two files that hold the same answers in different formats give equal values, apart from `id`,
// from what a format cannot express (sample_format.h), and from log-probs, which few servers
// return.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/kernel_backend.h"
#include "corpora/records/training_record.h"

namespace kernelmill {

// Why the log-probs of a sample cannot be used (ModelSample::log_prob_problem).
inline constexpr std::string_view kLogProbsAbsent = "absent";
inline constexpr std::string_view kLogProbsMalformed = "malformed";
// There are not as many as completion tokens.
inline constexpr std::string_view kLogProbsLength = "length";
// One of them is not finite.
inline constexpr std::string_view kLogProbsNotFinite = "not_finite";

// A token of an answer with the natural logarithm of its probability when it was sampled.
struct TokenLogProb {
  std::string token;  // As the server spells it; empty if it does not say.
  std::optional<std::int64_t> id;
  double log_prob = 0;  // NaN where the server gave none, or one that is not finite.

  friend bool operator==(const TokenLogProb&, const TokenLogProb&) = default;
};

// What the model was sampled with, as far as it is known.
struct SamplingParameters {
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<std::int64_t> top_k;
  std::optional<std::int64_t> max_tokens;
  std::optional<std::int64_t> seed;

  friend bool operator==(const SamplingParameters&, const SamplingParameters&) = default;
};

struct ModelSample {
  // The task as the file names it: a content_id or a prefix of it, "level_1_problem_2", or any
  // other name. Never empty.
  std::string task;
  // The line's own name for the sample; empty if it has none. No part of what the sample is.
  std::string id;
  // Counts the samples of one task and backend from 0. Files need not have it:
  // SampleNumbers::Add() (sample_numbers.h) fills it in.
  std::optional<std::int64_t> attempt;
  // Counts the model's turns in a conversation from 1.
  std::int64_t turn = 1;
  // The retry buffer whose repair prompt it answers, as CustomId::retry; empty for other answers.
  std::string retry;
  const KernelBackend* backend = nullptr;  // Null if the file names none.
  std::string model;                       // The name of the model; empty if unknown.
  SamplingParameters sampling;

  // What the model wrote after its reasoning, with the text around its code; with `code_only`, the
  // code alone, as the file holds no message.
  std::string message;
  bool code_only = false;
  // What it wrote before: the server's own field, or the <think> block of the message.
  std::string reasoning;
  bool reasoning_cut = false;  // The <think> block has no end, so that the message is empty.
  // Why it stopped, as the server says: "stop", "length", …; empty if unknown.
  std::string finish_reason;

  std::optional<std::int64_t> prompt_tokens;
  std::optional<std::int64_t> completion_tokens;  // Of this sample, its reasoning included.
  std::vector<TokenLogProb> log_probs;            // Of all completion tokens, in order.
  // kLogProbsAbsent or another reason why they cannot be used; empty if they can.
  std::string log_prob_problem;

  // The messages before this answer, with those of earlier turns, if the file has them.
  std::vector<Message> earlier;

  // Whether the server stopped the model at its limit of tokens.
  bool Cut() const { return finish_reason == "length" || reasoning_cut; }
  // The candidate's Python: FindCandidateCode() of the message, or the code. Nothing if there is
  // none.
  std::optional<std::string> Code() const;
};

}  // namespace kernelmill
