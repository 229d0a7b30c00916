// The loop that bench/admission.py compares with a bare one. Each command prints one JSON object.
//   admission_loops prepare FOLDER MOST REPOSITORY…   mines the repositories and searches arguments
//       with which modules are admitted, until it has MOST modules. Writes the modules with these
//       arguments to FOLDER/candidates and their tasks to FOLDER/tasks.
//   admission_loops admit FOLDER                      admits those modules, one after the other
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "corpora/records/record.h"
#include "corpora/records/task.h"
#include "stages/admit/admit_step.h"
#include "stages/fetch/source.h"
#include "stages/recipes/run_steps.h"
#include "stages/recipes/step_table.h"
#include "stages/recipes/untrusted_operations.h"
#include "stages/untrusted/untrusted_child.h"

namespace kernelmill {
namespace {

Result<std::vector<MinedModule>> MineModules(const std::string& output,
                                             const std::vector<std::string>& folders) {
  std::vector<ResolvedSource> sources;
  for (const std::string& folder : folders) {
    KM_ASSIGN(ResolvedSource source, Resolve({folder, "", "file://" + folder}));
    sources.push_back(std::move(source));
  }
  RunOptions options;
  options.output = output;
  KM_ASSIGN(Run run, Run::Open(options));
  const std::vector<StepSpec> steps = StepsOf("mine");
  KM_ASSIGN(const Config config, DefaultConfiguration(steps));
  KM_RETURN_IF_ERROR(RunSteps(run, steps, config, {.repositories = sources}));
  std::vector<MinedModule> modules;
  KM_RETURN_IF_ERROR(run.ForEachOutput("slice", [&](std::string_view, std::string_view body) {
    KM_ASSIGN(const Json json, Json::Parse(body));
    KM_ASSIGN(MinedModule module, MinedModule::FromJson(json));
    modules.push_back(std::move(module));
    return Status::Ok();
  }));
  return modules;
}

Status WriteTask(const Outcome& outcome, const std::filesystem::path& path) {
  for (const Output& output : outcome.outputs) {
    KM_ASSIGN(const Record record, Record::Decode(output.body));
    if (record.kind != RecordKind::kTask) continue;
    KM_ASSIGN(const Task task, Task::FromJson(record.payload));
    std::ofstream(path, std::ios::binary) << task.code;
  }
  return Status::Ok();
}

AdmitStep Admission() {
  return AdmitStep(
      {.seed = 7, .limits = {}, .symbolic_operators = -1, .mined = {"mine", 1, {}, {}}});
}

Status Prepare(const std::filesystem::path& folder, std::size_t most,
               const std::vector<std::string>& repositories) {
  KM_ASSIGN(const std::vector<MinedModule> modules,
            MineModules((folder / "mine").string(), repositories));
  std::filesystem::create_directories(folder / "candidates");
  std::filesystem::create_directories(folder / "tasks");
  AdmitStep step = Admission();
  KM_ASSIGN(const std::unique_ptr<Lane> lane, step.OpenLane());
  std::size_t admitted = 0;
  for (const MinedModule& module : modules) {
    if (admitted == most) break;
    for (const ArgumentSet& arguments : module.arguments) {
      MinedModule one = module;
      one.arguments = {arguments};
      const std::string name = std::to_string(admitted);
      const std::string body = one.ToJson().Dump();
      KM_ASSIGN(const Outcome outcome, step.Process({name, body}, *lane));
      if (outcome.fate != Fate::kKept) continue;
      KM_RETURN_IF_ERROR(WriteTask(outcome, folder / "tasks" / (name + ".py")));
      std::ofstream(folder / "candidates" / name, std::ios::binary) << body;
      ++admitted;
      break;
    }
  }
  std::printf("{\"tasks\": %zu}\n", admitted);
  return Status::Ok();
}

Status AdmitAll(const std::filesystem::path& folder) {
  AdmitStep step = Admission();
  KM_ASSIGN(const std::unique_ptr<Lane> lane, step.OpenLane());
  std::vector<Input> inputs;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "candidates")) {
    std::ifstream file(entry.path(), std::ios::binary);
    inputs.push_back(
        {entry.path().filename().string(), {std::istreambuf_iterator<char>(file), {}}});
  }
  // The first request starts the worker.
  KM_RETURN_IF_ERROR(step.Process(inputs.at(0), *lane).status());
  const auto start = std::chrono::steady_clock::now();
  for (const Input& input : inputs) KM_RETURN_IF_ERROR(step.Process(input, *lane).status());
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::printf("{\"seconds\": %.4f}\n", elapsed.count());
  return Status::Ok();
}

}  // namespace
}  // namespace kernelmill

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  // Mining starts this program again as its confined child.
  if (arguments.size() == 1 && arguments[0] == kernelmill::kUntrustedChildCommand) {
    return kernelmill::RunUntrustedChild(kernelmill::AllUntrustedOperations());
  }
  if (arguments.size() < 2) return std::fputs("usage: see the head of the source\n", stderr), 2;
  const kernelmill::Status status =
      arguments[0] == "prepare"
          ? kernelmill::Prepare(arguments[1], std::strtoul(arguments.at(2).c_str(), nullptr, 10),
                                {arguments.begin() + 3, arguments.end()})
          : kernelmill::AdmitAll(arguments[1]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  return 1;
}
