#include <map>

#include "generators/prompts/write_prompt.h"
#include "generators/reasoning/alternatives_step.h"
#include "generators/reasoning/reasoning.h"
#include "generators/task_rows/row_writers.h"
#include "generators/wording/fenced_code.h"

namespace kernelmill {
namespace {

// Whether another planned design of the task is clearly faster by its estimate. Handing over the
// slower one would train a bad choice.
bool IsWorseChoice(const Candidate& answer, const KnownTask& known) {
  for (const KnownCandidate& item : known.candidates) {
    const Candidate& other = item.candidate;
    if (other.IsTaught() && other.backend == answer.backend && answer.estimated_speed > 0 &&
        IsClearlyFaster(other, answer)) {
      return true;
    }
  }
  return false;
}

}  // namespace

// Writes a row for every answer but those that another one clearly beats. Rows with the same
// question share its weight.
void WriteTranslateRows(const KnownTask& known, std::vector<WrittenRow>* rows) {
  std::map<std::string, int> answers;
  for (const KnownCandidate& item : known.candidates) {
    const Candidate& answer = item.candidate;
    answers[answer.backend] += answer.IsTaught() && !IsWorseChoice(answer, known);
  }
  for (const KnownCandidate& item : known.candidates) {
    if (!item.candidate.IsTaught() || IsWorseChoice(item.candidate, known)) continue;
    const Candidate& answer = item.candidate;
    const Wording wording = known.WordingFor(item.id, Family::kTranslate);
    WrittenRow row = NewRow(known, item, Family::kTranslate);
    TrainingRecord& training = row.training;
    training.reasoning = ChooseReasoning(wording);
    PromptFacts facts;
    // What the reasoning says of a device is said of the one that the question names.
    if (training.reasoning != kReasoningNone) {
      const std::vector<KnownDevice>& devices = KnownDevicesOf(answer.backend);
      facts["gpu"] = GpuInWords(devices[wording.Index("device", devices.size())]);
    }
    const Prompt prompt = WritePrompt({.family = Family::kTranslate,
                                       .backend = answer.backend,
                                       .reasoning = training.reasoning,
                                       .may_be_chinese = training.reasoning == kReasoningNone,
                                       .facts = facts},
                                      known, wording);
    training.prompt_template = prompt.name;
    const std::string code = Fenced("python", answer.code);
    std::string reasoning = WriteReasoning(training.reasoning, known, answer, wording,
                                           DeviceNamedIn(prompt.text, answer.backend));
    if (!reasoning.empty()) {
      training.reasoning_author = kReasonedByRule;
      // The reasoning compares their costs.
      for (const KnownCandidate* other : AlternativesTo(answer, known)) {
        row.inputs.push_back(other->id);
      }
      reasoning += "\n\n";
    }
    row.weight = 1.0 / answers[answer.backend];
    FinishRow(known, answer, prompt, reasoning + code, &row);
    rows->push_back(std::move(row));
  }
}

}  // namespace kernelmill
