#include <algorithm>

#include "corpora/token_estimate.h"
#include "generators/feedback/repair_feedback.h"
#include "generators/known_task/difficulty.h"
#include "generators/prompts/write_prompt.h"
#include "generators/task_rows/row_writers.h"
#include "generators/wording/fenced_code.h"
#include "parsers/samples/message_code.h"

namespace kernelmill {
namespace {

// The prompt_template of a row whose prompt is the one that the model was given.
constexpr char kGivenPrompt[] = "given";

std::string ReasoningOf(const Sample& sample) {
  if (!sample.reasoning.empty()) return std::string(kReasoningFull);
  const bool bare = sample.code_only || sample.message.starts_with("```");
  return std::string(bare ? kReasoningNone : kReasoningPlan);
}

// The visible answer, as a turn of a conversation that goes on.
std::string MessageOf(const Sample& sample) {
  return sample.code_only ? Fenced("python", sample.message) : sample.message;
}

// The whole answer, as it is trained.
std::string AnswerOf(const Sample& sample) {
  if (sample.reasoning.empty()) return MessageOf(sample);
  return "<think>\n" + sample.reasoning + "\n</think>\n\n" + MessageOf(sample);
}

const KnownCandidate* JudgedAs(const KnownTask& known, const Sample& sample) {
  const std::optional<std::string> code = CodeOfSample(sample);
  const auto found =
      std::find_if(known.candidates.begin(), known.candidates.end(), [&](const auto& item) {
        return item.candidate.backend == sample.backend && item.candidate.code == code;
      });
  return found == known.candidates.end() ? nullptr : &*found;
}

// The row up to the question that `about` answers. `reasoning`: how much of it the question asks
// for, which is as much as the trained answer has.
WrittenRow Begin(const KnownTask& known, const KnownSample& about, Family family,
                 const std::string& reasoning, PromptLanguage* language) {
  const Sample& sample = about.sample;
  WrittenRow row;
  TrainingRecord& training = row.training;
  training.family = family;
  training.backend = sample.backend;
  training.task_id = known.id;
  row.inputs = {known.id, known.annotation};
  *language = PromptLanguage::kEnglish;
  if (!sample.prompt.empty()) {
    training.prompt_template = kGivenPrompt;
    training.messages = sample.prompt;
    return row;
  }
  const Prompt prompt = WritePrompt({.family = Family::kTranslate,
                                     .backend = sample.backend,
                                     .reasoning = reasoning,
                                     .may_be_chinese = reasoning == kReasoningNone},
                                    known, known.WordingFor(about.id, family));
  *language = prompt.language;
  training.prompt_template = prompt.name;
  training.messages = prompt.Messages();
  return row;
}

// Completes the row: `answer` is trained.
void Finish(const KnownTask& known, const KnownSample& answer, WrittenRow* row) {
  const Sample& sample = answer.sample;
  TrainingRecord& training = row->training;
  training.reasoning = ReasoningOf(sample);
  if (training.reasoning != kReasoningNone) training.reasoning_author = sample.model;
  training.messages.push_back({"assistant", AnswerOf(sample)});
  const KnownCandidate* const judged = JudgedAs(known, sample);
  if (judged != nullptr) {
    training.candidate = judged->id.Hex();
    row->inputs.push_back(judged->id);
  }
  row->inputs.push_back(answer.id);
  if (answer.speedup > 1) training.perf_evidence = "measured";
  Unite(&row->origins, answer.origins);
  Unite(&row->licences, answer.licences);
  row->difficulty = DifficultyOf(
      DifficultyFactsOf(known.task, known.facts, judged == nullptr ? nullptr : &judged->candidate),
      EstimateTokens(training).answer);
}

std::int64_t CountAnswers(const std::vector<Message>& messages) {
  return std::count_if(messages.begin(), messages.end(),
                       [](const Message& message) { return message.role == "assistant"; });
}

// Says which turn of which conversation the row trains: `answer` follows `before`, a sample or the
// turns of a prompt.
void SetTrajectory(const Digest& answer, const Digest& before, TrainingRecord* training) {
  training->trajectory_id = Sha256().Field(answer.AsKey()).Field(before.AsKey()).Finish().Hex();
  training->turn = training->n_turns = CountAnswers(training->messages);
}

Digest DigestOfTurns(const std::vector<Message>& messages) {
  Sha256 digest;
  for (const Message& message : messages) digest.Field(message.role).Field(message.content);
  return digest.Finish();
}

}  // namespace

bool IsWithoutQuestion(const Sample& sample) { return sample.turn > 1 && sample.prompt.empty(); }

WrittenRow SampleTranslateRow(const KnownTask& known, const KnownSample& sample) {
  PromptLanguage language;
  const std::optional<Digest>& repairs = sample.sample.repairs;
  const Family family = repairs ? Family::kRepair : Family::kTranslate;
  WrittenRow row = Begin(known, sample, family, ReasoningOf(sample.sample), &language);
  Finish(known, sample, &row);
  if (repairs) {
    SetTrajectory(sample.id, *repairs, &row.training);
  } else if (CountAnswers(row.training.messages) > 1) {
    SetTrajectory(sample.id, DigestOfTurns(sample.sample.prompt), &row.training);
  }
  row.pool_id = sample.pool;
  row.cluster_id = sample.cluster;
  if (sample.pool_size > 0) row.weight = 1.0 / static_cast<double>(sample.pool_size);
  return row;
}

// Writes a row for every selected sample. Those of one pool share its weight.
void WriteSampleTranslateRows(const KnownTask& known, std::vector<WrittenRow>* rows) {
  for (const KnownSample& sample : known.samples) {
    if (!sample.pool.empty()) rows->push_back(SampleTranslateRow(known, sample));
  }
}

// Writes a row for every sample that was not selected: its mistake is context, and a selected
// sample of the same backend, which answers the task itself and no other mistake, is the answer. A
// hash decides which one.
void WriteSampleRepairRows(const KnownTask& known, std::vector<WrittenRow>* rows) {
  for (const KnownSample& wrong : known.samples) {
    const KnownCandidate* const judged = JudgedAs(known, wrong.sample);
    const bool shows_mistake = wrong.pool.empty() && !IsWithoutQuestion(wrong.sample);
    if (!shows_mistake || judged == nullptr) continue;
    std::vector<const KnownSample*> right;
    for (const KnownSample& sample : known.samples) {
      const bool fits = !sample.pool.empty() && sample.sample.backend == wrong.sample.backend &&
                        sample.sample.turn == 1 && !sample.sample.repairs &&
                        CountAnswers(sample.sample.prompt) == 0;
      if (fits) right.push_back(&sample);
    }
    if (right.empty()) continue;
    PromptLanguage language;
    const KnownSample& answer = *right[wrong.id.Prefix64() % right.size()];
    WrittenRow row = Begin(known, wrong, Family::kRepair, ReasoningOf(answer.sample), &language);
    TrainingRecord& training = row.training;
    training.messages.push_back({"assistant", MessageOf(wrong.sample)});
    training.messages.push_back(
        {"user", RepairFeedback(judged->candidate.verdict, language,
                                known.WordingFor(wrong.id, Family::kRepair))});
    Finish(known, answer, &row);
    row.inputs.push_back(judged->id);
    row.inputs.push_back(wrong.id);
    Unite(&row.origins, wrong.origins);
    Unite(&row.licences, wrong.licences);
    SetTrajectory(answer.id, wrong.id, &training);
    rows->push_back(std::move(row));
  }
}

}  // namespace kernelmill
