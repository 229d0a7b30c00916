// The writers of rows about a task, one function a family (AllTaskRows() in task_rows.h lists them
// for the step "render"), and what they share. Each writer appends its rows to `rows`, none when
// the task has no records for them.
#pragma once

#include <string>
#include <vector>

#include "generators/prompts/write_prompt.h"
#include "generators/task_rows/task_rows.h"

namespace kernelmill {

void WriteShapeRows(const KnownTask& known, std::vector<WrittenRow>* rows);
void WriteTranslateRows(const KnownTask& known, std::vector<WrittenRow>* rows);
void WriteReviewRows(const KnownTask& known, std::vector<WrittenRow>* rows);
void WriteRepairRows(const KnownTask& known, std::vector<WrittenRow>* rows);
void WriteAnalyzeRows(const KnownTask& known, std::vector<WrittenRow>* rows);
void WritePortRows(const KnownTask& known, std::vector<WrittenRow>* rows);
void WriteOptimizeRows(const KnownTask& known, std::vector<WrittenRow>* rows);
void WriteTestRows(const KnownTask& known, std::vector<WrittenRow>* rows);
void WriteSampleTranslateRows(const KnownTask& known, std::vector<WrittenRow>* rows);
void WriteSampleRepairRows(const KnownTask& known, std::vector<WrittenRow>* rows);

// Whether the question that the sample answers is unknown: it is a later turn without a prompt. A
// question of ours would not be what it answers.
bool IsWithoutQuestion(const Sample& sample);

// The row that trains a sample: of the family translate, or repair where the sample answers a
// repair prompt. Its record needs no attributes yet, and its verdict none: `select`
// counts the tokens of the row before it selects.
WrittenRow SampleTranslateRow(const KnownTask& known, const KnownSample& sample);

// A row of `family` whose answer is about `item`, still without messages and prompt.
WrittenRow NewRow(const KnownTask& known, const KnownCandidate& item, Family family);
// Completes the row: sets its messages, those of the prompt and one answer, and its difficulty.
void FinishRow(const KnownTask& known, const Candidate& candidate, const Prompt& prompt,
               std::string answer, WrittenRow* row);

}  // namespace kernelmill
