#include "generators/reasoning/running_statistics.h"

#include <regex>

#include "generators/reasoning/answer_code.h"

namespace kernelmill {

std::string RunningStatisticsText(const Candidate& answer) {
  // In evaluation the kernels read the statistics; what updates them indexes or writes them.
  static const std::regex kUsed(R"(\brunning_mean(\w*\[|\.(copy_|lerp_|mul_|add_)\())");
  const std::string native = ReadAnswerCode(answer).native;
  if (native.find("running_mean") == native.npos || std::regex_search(answer.code, kUsed))
    return "";
  return "The module normalises with the statistics of the batch, as in training, where PyTorch "
         "also "
         "updates `running_mean` and `running_var`. This program returns the same outputs but does "
         "not update them, so a model that is trained with it must not be evaluated with these "
         "buffers.";
}

}  // namespace kernelmill
