#include "stages/launch/job_script.h"

#include <algorithm>

namespace kernelmill {
namespace {

// As one word of a shell.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char letter : text)
    quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

// "0-3,7": the tasks of ascending ranks.
std::string ArrayText(const std::vector<std::int64_t>& ranks, std::int64_t offset) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    text += (text.empty() ? "" : ",") + std::to_string(ranks[i] - offset);
    if (end - i > 1) text += "-" + std::to_string(ranks[end - 1] - offset);
    i = end;
  }
  return text;
}

// "verify" of "verify:--gres=gpu:1"; empty for an option of all steps.
std::string_view StepOfOption(std::string_view option) {
  return option.starts_with("-") ? "" : option.substr(0, std::min(option.find(':'), option.size()));
}

std::string_view TextOfOption(std::string_view option) {
  const std::string_view step = StepOfOption(option);
  return step.empty() ? option : option.substr(std::min(step.size() + 1, option.size()));
}

}  // namespace

std::vector<std::string> SlurmChoice::OptionsOf(std::string_view step) const {
  std::vector<std::string> own;
  for (const std::string& option : options) {
    const std::string_view of = StepOfOption(option);
    if (of.empty() || of == step) own.emplace_back(TextOfOption(option));
  }
  return own;
}

Status SlurmChoice::Check(const std::vector<std::string>& steps) const {
  for (const std::string& option : options) {
    const std::string_view step = StepOfOption(option), text = TextOfOption(option);
    if (!text.starts_with("-") || text.find('\n') != std::string_view::npos) {
      return Status(ErrorCode::kUsage, "--sbatch: '" + option +
                                           "' is no option of sbatch; write --partition=cpu, or "
                                           "verify:--gres=gpu:1 for one step");
    }
    if (!step.empty() && std::find(steps.begin(), steps.end(), step) == steps.end()) {
      return Status(ErrorCode::kUsage,
                    "--sbatch: '" + option + "' is for a step that this run does not have");
    }
    for (const std::string_view own : {"--array", "-a", "--job-name", "-J", "--output", "-o",
                                       "--error", "-e", "--cpus-per-task", "-c"}) {
      if (text == own || text.starts_with(std::string(own) + "=")) {
        return Status(ErrorCode::kUsage, "--sbatch: kernelmill sets " + std::string(own) +
                                             " itself; --jobs sets the processors of a rank");
      }
    }
  }
  return Status::Ok();
}

std::string LogPathOf(const RankJob& job, const std::string& array_job, std::int64_t rank) {
  return job.folder + "/" + array_job + "_" + std::to_string(rank - job.offset) + ".log";
}

std::string ExitPathOf(const std::string& folder, std::int64_t rank) {
  return folder + "/rank-" + std::to_string(rank) + ".exit";
}

Status CheckScriptPath(const std::string& path) {
  if (path.find_first_of("%\"\\\n") == std::string::npos) return Status::Ok();
  return Status(ErrorCode::kUsage,
                "--output: Slurm replaces parts of a path with %, \", \\ or line ends; name "
                "another folder than " +
                    path);
}

std::string ScriptOf(const RankJob& job, const SlurmChoice& choice) {
  std::string text = "#!/bin/sh\n";
  const auto option = [&](const std::string& words) { text += "#SBATCH " + words + "\n"; };
  option("--job-name=" + job.name);
  option("--array=" + ArrayText(job.ranks, job.offset));
  option("--cpus-per-task=" + std::to_string(choice.jobs));
  option("--output=\"" + job.folder + "/%A_%a.log\"");
  option("--open-mode=append");
  for (const std::string& own : choice.OptionsOf(job.step)) option(own);
  const std::string offset =
      job.offset > 0 ? " --offset " + std::to_string(job.offset) : std::string();
  text += Quoted(job.program) + " step " + Quoted(job.output) + " " + job.step + " --world " +
          std::to_string(job.world) + offset + " --jobs " + std::to_string(choice.jobs) + "\n";
  text += "code=$?\n";
  // A rename, so that nobody reads half a number.
  text += "left=" + Quoted(job.folder) + "/rank-$((SLURM_ARRAY_TASK_ID + " +
          std::to_string(job.offset) + ")).exit\n";
  text += "echo $code > \"$left.$$\" && mv \"$left.$$\" \"$left\"\n";
  return text + "exit $code\n";
}

}  // namespace kernelmill
