// Mines a Git repository, for tests.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "corpora/records/mined_module.h"
#include "corpora/reject.h"
#include "stages/fetch/source.h"
#include "stages/recipes/run_steps.h"
#include "stages/recipes/step_table.h"
#include "tests/corpora/git_fixture.h"

namespace kernelmill {

struct MiningResult {
  std::map<std::string, MinedModule> modules;  // By class name.
  std::map<std::string, StepCounts> counts;    // By step.
  std::map<std::string, Reject> rejects;       // Of "slice" by class name, and of "read" by path.
};

// Runs the recipe "mine" with default settings, except for `settings`. Untrusted input is parsed in
// this process.
inline Status MineInThisProcess(Run* run, const ResolvedSource& source,
                                const std::vector<std::string>& settings = {}) {
  const std::vector<StepSpec> steps = StepsOf("mine");
  KM_ASSIGN(const Config config, DefaultConfiguration(steps, settings));
  return RunSteps(*run, steps, config, {.repositories = {source}}, nullptr, "");
}

// Commits a licence and the written files, and mines the repository in this process.
inline MiningResult MineRepository(const GitFixture& git) {
  MiningResult mined;
  // Files without a licence are rejected.
  git.Write("LICENSE", kMitLicence);
  git.CommitAll();
  const Result<ResolvedSource> source = Resolve({git.folder().string(), "", "https://x.org/r"});
  EXPECT_TRUE(source.ok()) << source.status().message();
  RunOptions run_options;
  run_options.output = (git.folder() / ".git/out").string();
  run_options.jobs = 1;
  Result<Run> run = Run::Open(run_options);
  EXPECT_TRUE(run.ok()) << run.status().message();
  const Status status = MineInThisProcess(&*run, *source);
  EXPECT_TRUE(status.ok()) << status.message();
  for (const auto& [plan, counts] : run->finished()) mined.counts[plan.step] = counts;
  const Status outputs =
      run->ForEachOutput("slice", [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(const Json json, Json::Parse(body));
        KM_ASSIGN(MinedModule module, MinedModule::FromJson(json));
        mined.modules[module.name] = module;
        return Status::Ok();
      });
  EXPECT_TRUE(outputs.ok()) << outputs.message();
  for (const std::string step : {"read", "slice"}) {
    const Status rejects =
        run->ForEachReject(step, [&](std::string_view, std::string_view bytes) -> Status {
          KM_ASSIGN(const Reject reject, Reject::Decode(bytes));
          const Origin& origin = reject.origins.at(0);
          mined.rejects[step == "read" ? origin.path : origin.symbol] = reject;
          return Status::Ok();
        });
    EXPECT_TRUE(rejects.ok()) << rejects.message();
  }
  return mined;
}

}  // namespace kernelmill
