// What writes the rows of each family about a task.
#pragma once

#include <vector>

#include "generators/task_rows/known_task.h"

namespace kernelmill {

void WriteShapeRows(const KnownTask& known, std::vector<WrittenRow>* rows);
void WriteTranslateRows(const KnownTask& known, std::vector<WrittenRow>* rows);
void WriteReviewRows(const KnownTask& known, std::vector<WrittenRow>* rows);
void WriteRepairRows(const KnownTask& known, std::vector<WrittenRow>* rows);

}  // namespace kernelmill
