#include <algorithm>
#include <map>

#include "corpora/token_estimate.h"
#include "generators/known_task/difficulty.h"
#include "generators/prompts/write_prompt.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/task_rows/bug_words.h"
#include "generators/task_rows/mutant_facts.h"
#include "generators/task_rows/row_writers.h"
#include "generators/wording/fenced_code.h"

namespace kernelmill {
namespace {

// One correct answer is reviewed for so many mutants. A model that only sees wrong answers learns
// to object to every answer.
constexpr std::size_t kMutantsForOneRight = 3;

// The result of running the answer: the verdict's reason, with variants for the frequent reasons.
std::string Shown(const Verdict& verdict, SentenceWriter* writer) {
  static const std::map<std::string_view, std::string_view> kWordings = {
      {"values", "[its output differs from the reference|the values are not the reference's|wrong "
                 "values come out|what it returns is not what `Model` returns|the numbers do not "
                 "match]"},
      {"compile_error", "[the compiler refuses its native code|it does not compile|the native code "
                        "does not build|compilation stops there]"},
      {"layer_called", "[it calls a layer of torch.nn instead of using its parameters|layers of "
                       "torch.nn do the work]"},
      {"torch_compute", "[an operator of torch computes in its forward()|forward() lets torch "
                        "compute|torch's operators run in forward()]"},
      {"raised", "[its forward() raised an error|forward() ends with an exception]"},
      {"import_failed", "[importing it raised an error|it cannot be imported]"},
      {"other_shapes", "[it is right at the task's own shapes and wrong at others|other shapes than "
                       "the task's come out wrong]"},
      {"other_values", "[it is right for the task's own values and wrong for others|with other "
                       "values it fails]"}};
  if (const auto wording = kWordings.find(verdict.reason); wording != kWordings.end()) {
    return writer->Say({wording->second});
  }
  const std::string_view why = ExplainVerdictReason(verdict.status, verdict.reason);
  return why.empty() ? std::string(StatusName(verdict.status)) : std::string(why);
}

// The place of the bug, with its code when that is short: "line 41, `if (i > n) return;`".
std::string PlaceWithCode(const MutantFacts& facts) {
  constexpr std::size_t kLongest = 80;
  const LineChange& first = facts.changes.front();
  std::string place = facts.Place();
  if (facts.changes.size() != 1 || first.was.size() != 1) return place;
  const std::string& line = first.was[0];
  const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
  if (start == line.size() || line.size() - start > kLongest || line.find('`') != line.npos) {
    return place;
  }
  return place + ", `" + line.substr(start) + "`";
}

// Joins the parts of a review in one of several arrangements.
std::string Arranged(const SentenceValues& values, const std::string& diff, bool begins_with_effect,
                     SentenceWriter* writer) {
  const SentenceVariants forms = {
      "{verdict} {Where}: {cause}.\n\n{effect}\n\n[To mend it, {remedy}:|{Remedy}:|What to do: "
      "{remedy}.|Fix: {remedy}.]\n\n{diff}",
      "{verdict}\n\n- [where|line|place]: {where}\n- [what|cause|mistake]: {cause}\n{effect_item}- "
      "[fix|remedy|change]: {remedy}\n\n{diff}",
      "{verdict} [The reason|What to mend|The mistake]: {cause} ({where}).[ |\n\n]{effect}\n\n"
      "{Remedy}.\n\n{diff}",
      "{Where}: {cause}. {verdict}[ |\n\n]{effect}\n\n{diff}\n\n[In words|That is|So]: {remedy}.",
      "{verdict} [{Remedy}|The change: {remedy}]:\n\n{diff}\n\n[Reason|Why|The cause]: {cause}, {where}.[ "
      "|\n\n]{effect}",
      "| | |\n| --- | --- |\n| [verdict|result] | {verdict} |\n| [place|where] | {place} |\n| "
      "[cause|what] | {cause} |\n| [remedy|fix] | {remedy} |\n\n{diff}",
      "{diff}\n\n{Where}[, before the change|]: {cause}. {verdict}[ |\n\n]{effect}",
      "{verdict} {Cause} ({place}).[ {Remedy}.|]\n\n{diff}",
      "{Cause} ({place}); {remedy}. {effect}\n\n{diff}\n\n{verdict}"};
  const SentenceVariants from_effect = {
      "{effect} [It comes from|The source is|Look at] {where}: {cause}.\n\n{diff}\n\n{verdict}",
      "{verdict} {effect}\n\n{Where}[, is why|]: {cause}. {Remedy}.\n\n{diff}",
      "{effect}\n\n{Cause} ({where}). [Hence: {remedy}.|{Remedy}.]\n\n{diff}"};
  std::string text =
      writer->Say(begins_with_effect && writer->OneIn(3) ? from_effect : forms, values);
  // Close the gap that an unknown effect leaves.
  for (const char* gap : {" \n", "\n\n\n"}) {
    for (std::size_t at = text.find(gap); at != text.npos; at = text.find(gap)) text.erase(at, 1);
  }
  std::string whole = FillPlaceholders(text, {{"diff", diff}});
  while (whole.ends_with(' ') || whole.ends_with('\n')) whole.pop_back();
  return whole;
}

std::string ReviewOf(const MutantFacts& facts, const Wording& wording) {
  SentenceWriter writer(wording, "review");
  const bool slow = facts.bug->failure == FailureClass::kSlowness;
  const SentenceVariants wrong = {
      "**[Not correct|Wrong|Reject|Incorrect|Needs a change|Not ready|No].**",
      "**This [does not work|is not right|fails|cannot stay as it is].**",
      "[Wrong|Not correct|Not right|Rejected].", "**Verdict: [wrong|not correct|reject].**"};
  const SentenceVariants slower = {
      "**[Correct|Right], but [needlessly slow|slower than it has to be|wasteful].**",
      "**Right results at a [needless|high|avoidable] price.**",
      "[Correct|The results are right], [yet|but] it [costs more than it should|wastes time]."};
  const std::string shown =
      slow || writer.OneIn(3) ? "" : Shown(facts.mutant->candidate.verdict, &writer);
  const std::string effect =
      shown.empty()
          ? ""
          : writer.Say({"[When it is run|What comes of it|Running it shows it|The effect|In a "
                        "run|Tried out]: {shown}.",
                        "[The verifier|A run|The test] [says|finds|shows]: {shown}."},
                       {{"shown", shown}});
  const std::string item = shown.empty() ? "" : "- " + writer.Choose("[effect|result|shown]: ");
  const std::string where = PlaceWithCode(facts);
  const std::string cause = CauseText(facts, &writer), remedy = RemedyText(facts, &writer);
  std::string diff = facts.Diff();
  while (diff.ends_with('\n')) diff.pop_back();
  return Arranged({{"verdict", writer.Say(slow ? slower : wrong)},
                   {"where", where},
                   {"Where", Capital(where)},
                   {"place", facts.Place()},
                   {"cause", cause},
                   {"Cause", Capital(cause)},
                   {"effect", effect},
                   {"effect_item", item.empty() ? "" : item + shown + "\n"},
                   {"remedy", remedy},
                   {"Remedy", Capital(remedy)},
                   {"diff", "{diff}"}},
                  diff, !effect.empty() && !where.starts_with("after"), &writer);
}

// The mappings of the answer's first few functions.
std::string MappingsOf(const Candidate& answer) {
  constexpr std::size_t kMostMappings = 3;
  std::vector<std::pair<std::string_view, std::vector<std::string>>> mappings;
  for (const DesignedKernel& kernel : answer.kernels) {
    if (kernel.mapping.empty()) continue;
    const auto known =
        std::find_if(mappings.begin(), mappings.end(),
                     [&](const auto& mapping) { return mapping.first == kernel.mapping; });
    const std::string name = "`" + kernel.function + "`";
    if (known == mappings.end()) {
      mappings.push_back({kernel.mapping, {name}});
    } else {
      known->second.push_back(name);
    }
  }
  if (mappings.size() > kMostMappings) mappings.resize(kMostMappings);
  std::string text;
  for (const auto& [mapping, names] : mappings) {
    text += (text.empty() ? "- " : "\n- ") + Listed(names) + ": " + std::string(mapping) + '.';
  }
  return text;
}

// A review of a correct answer: what was checked.
std::string ReviewOfRight(const KnownTask& known, const Candidate& answer, const Wording& wording) {
  SentenceWriter writer(wording, "review");
  const AnswerCode code = ReadAnswerCode(answer);
  const ReasoningSubject subject = {known, answer, code, wording, 2};
  const std::string verdict = writer.Say(
      {"**Correct.**[ Nothing to change.| I find nothing wrong with it.|]",
       "**[Accept|Approved|Right|Yes].**[ It computes what the reference computes.| No change.|]",
       "[Correct|Right|Fine as it is]: [no change is needed|nothing to mend|the same results]."});
  std::string text;
  switch (writer.Index(3)) {
    case 0:
      text = MappingsOf(answer);
      break;
    case 1:
      text = BoundaryStep(subject);
      break;
    default:
      text = MappingStep(subject);
  }
  if (text.empty()) return verdict;
  return writer.OneIn(4) ? text + "\n\n" + verdict : verdict + "\n\n" + text;
}

}  // namespace

void WriteReviewRows(const KnownTask& known, std::vector<WrittenRow>* rows) {
  const auto add = [&](const KnownCandidate& item, const Candidate& right, auto write) {
    const Wording wording = known.WordingFor(item.id, Family::kReview);
    const Prompt prompt =
        WritePrompt({.family = Family::kReview,
                     .backend = item.candidate.backend,
                     .facts = {{"candidate", Fenced("python", item.candidate.code)}}},
                    known, wording);
    WrittenRow row;
    TrainingRecord& training = row.training;
    training.family = Family::kReview;
    training.backend = item.candidate.backend;
    training.prompt_template = prompt.name;
    training.task_id = known.id;
    training.candidate = item.id.Hex();
    training.estimated_speed = item.candidate.estimated_speed;
    training.messages = {{"user", prompt.text}, {"assistant", write(wording)}};
    row.inputs = {known.id, known.annotation, item.id};
    row.difficulty = DifficultyOf(DifficultyFactsOf(known.task, known.facts, &right),
                                  EstimateTokens(training).answer);
    rows->push_back(std::move(row));
  };
  const std::vector<MutantFacts> mutants = MutantsOf(known);
  for (const MutantFacts& facts : mutants) {
    if (facts.changes.empty()) continue;
    add(*facts.mutant, facts.right->candidate,
        [&](const Wording& wording) { return ReviewOf(facts, wording); });
    WrittenRow& row = rows->back();
    row.inputs.push_back(facts.right->id);
    if (facts.bug->failure == FailureClass::kSlowness) row.training.perf_evidence = "counted";
  }
  if (mutants.empty()) return;
  for (const KnownCandidate& item : known.candidates) {
    if (!item.candidate.IsTaught()) continue;
    const Wording wording = known.WordingFor(item.id, Family::kReview);
    if (wording.Index("review a right one", kMutantsForOneRight) != 0) continue;
    add(item, item.candidate,
        [&](const Wording& choice) { return ReviewOfRight(known, item.candidate, choice); });
  }
}

}  // namespace kernelmill
