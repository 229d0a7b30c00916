// What writes the rows of each family about a task.
#pragma once

#include <string>
#include <vector>

#include "generators/task_rows/known_task.h"

namespace kernelmill {

void WriteShapeRows(const KnownTask& known, std::vector<WrittenRow>* rows);
void WriteTranslateRows(const KnownTask& known, std::vector<WrittenRow>* rows);
void WriteReviewRows(const KnownTask& known, std::vector<WrittenRow>* rows);
void WriteRepairRows(const KnownTask& known, std::vector<WrittenRow>* rows);
void WriteAnalyzeRows(const KnownTask& known, std::vector<WrittenRow>* rows);
void WritePortRows(const KnownTask& known, std::vector<WrittenRow>* rows);
void WriteOptimizeRows(const KnownTask& known, std::vector<WrittenRow>* rows);
void WriteTestRows(const KnownTask& known, std::vector<WrittenRow>* rows);

// A row of `family` whose answer is about `item`, without its messages and prompt.
WrittenRow RowAbout(const KnownTask& known, const KnownCandidate& item, Family family);
// Puts the conversation of one turn into the row, and rates it.
void Finish(const KnownTask& known, const Candidate& candidate, std::string question,
            std::string answer, WrittenRow* row);

}  // namespace kernelmill
