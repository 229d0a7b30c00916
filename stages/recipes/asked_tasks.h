// The tasks that the key `tasks` of a configuration for `rft` names, for `sample` to ask a model
// about before there are samples. A prompt says what torch computes, so tasks of files and
// checkouts pass the steps of the recipe "ask" first, as they will in `rft`; those of datasets have
// passed them, and are asked about as AskAboutTasks() does.
#pragma once

#include <cstdint>
#include <string>

#include "manifests/config.h"
#include "stages/pack/trainers/task_question.h"

namespace kernelmill {

// Visits the questions about all these tasks, or about the first `most` that can be asked about, if
// it is not 0. Then only as many tasks of files are admitted as are needed, in the order of their
// content_ids, and the next one takes the place of one that "admit" rejects. A question names the
// task as a dataset or file holds it, before "admit" completes its inputs, so that `rft` finds it.
// `config` may set RftKeys(); only those of the steps count. Tasks of files run in the folder
// `output`, which is resumed, or begun anew if sources, settings or this program have changed: all
// in it follows from them. `jobs`: threads; 0 means one per processor. Warns of each task that
// "admit" rejects, with the reason, and says how many tasks of a dataset have no rows. kUsage when
// no task is left.
Status AskAboutSources(const Config& config, const std::string& output, int jobs, std::int64_t most,
                       const QuestionOptions& options, const TaskQuestions::Visit& visit);

}  // namespace kernelmill
