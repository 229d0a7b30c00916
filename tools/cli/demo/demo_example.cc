#include "tools/cli/demo/demo_example.h"

#include <set>
#include <vector>

#include "generators/record_text/row_text.h"
#include "stages/pack/row_query.h"

namespace kernelmill {
namespace {

// Which row of a family to show, and how many lines of its question and answer.
struct Excerpt {
  const char* title;
  Family family;
  const char* backend;
  std::size_t asked, answered;
};
constexpr Excerpt kExcerpts[] = {
    {"The task, its reasoning and its CUDA kernels", Family::kTranslate, "cuda", 50, 90},
    {"From CUDA to MUSA, or back", Family::kPort, "", 0, 24},
    {"A bug was put into an answer, and running it showed it", Family::kReview, "", 0, 12},
    {"Its repair", Family::kRepair, "", 24, 30},
};

// Whether `row` fits the excerpt and is better than `chosen`, because it has reasoning before the
// answer.
bool IsBetterExcerpt(const RowInContext& row, const Excerpt& excerpt, const RowInContext* chosen) {
  const TrainingRecord& training = row.training;
  if (training.family != excerpt.family) return false;
  if (*excerpt.backend != '\0' && training.backend != excerpt.backend) return false;
  return chosen == nullptr ||
         (chosen->training.reasoning == kReasoningNone && training.reasoning != kReasoningNone);
}

// The rows about the first generated task.
Result<std::vector<RowInContext>> RowsOfOne(const std::string& dataset) {
  std::vector<RowInContext> rows;
  KM_ASSIGN(DatasetReader reader, DatasetReader::Open(dataset));
  RowQuery query;
  query.origin = "kernelmill:generated";
  KM_RETURN_IF_ERROR(FindRows(&reader, query, [&](const RowInContext& row, bool*) {
    if (rows.empty() || row.training.task_id == rows.front().training.task_id) rows.push_back(row);
    return Status::Ok();
  }));
  return rows;
}

}  // namespace

Result<std::string> ExampleText(const std::string& dataset) {
  KM_ASSIGN(std::vector<RowInContext> rows, RowsOfOne(dataset));
  std::set<std::string> right;
  for (const RowInContext& row : rows) {
    if (row.training.family == Family::kTranslate) right.insert(row.training.candidate);
  }
  // Removes reviews of right answers, so that the review of the bug is shown.
  std::erase_if(rows, [&](const RowInContext& row) {
    return row.training.family == Family::kReview && right.contains(row.training.candidate);
  });
  std::string text;
  for (const Excerpt& excerpt : kExcerpts) {
    const RowInContext* chosen = nullptr;
    for (const RowInContext& row : rows) {
      if (IsBetterExcerpt(row, excerpt, chosen)) chosen = &row;
    }
    if (chosen == nullptr) continue;
    const std::vector<Message>& messages = chosen->training.messages;
    text += "\n-- " + std::string(excerpt.title) + " (inspect --id " +
            chosen->content_id.Hex().substr(0, 12) + ")\n";
    if (excerpt.asked > 0) text += MessageText(messages[messages.size() - 2], excerpt.asked);
    text += MessageText(messages.back(), excerpt.answered);
  }
  return text;
}

}  // namespace kernelmill
