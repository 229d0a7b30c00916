// Descriptions of invented datasets, and the comparison with golden files.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>
#include <string>
#include <vector>

#include "generators/dataset_pages/dataset_description.h"
#include "manifests/commit_file.h"
#include "tests/corpora/described_module.h"

namespace kernelmill {

// A dataset of three modules: one was found in two repositories, one has no licence.
inline DatasetDescription Described(std::vector<DescribedModule> modules) {
  DatasetDescription description;
  for (DescribedModule& module : modules) {
    std::map<Digest, std::string> records;
    module.AddTo(&records);
    for (const auto& [id, encoded] : records) {
      EXPECT_TRUE(description.statistics.Add(Record::Decode(encoded).value()).ok());
    }
  }
  description.merkle_root = DigestOf("root");
  description.steps = {
      {"walk", "repositories", {.in = 2, .kept = 2, .counters = {{"entries", 40}}, .outputs = 31}},
      {"slice",
       "module classes",
       {.in = 1204,
        .kept = 9,
        .dropped = {{"no_forward", 5}},
        .rejected = {{"unknown_arguments", 90}, {"unsafe_import", 1100}},
        .outputs = 9}},
      {"render", "subjects", {.in = 3, .kept = 3, .outputs = 9}}};
  description.versions = {{"kernelmill", "0.1.0"}, {"torch", "2.13.0"}};
  description.files = {"data/train-00000-of-00001.parquet", "data/train.jsonl",
                       "data/validation.jsonl"};
  return description;
}

inline DatasetDescription Ordinary() {
  DatasetDescription description =
      Described({{},
                 {.name = "Attention",
                  .url = "pkg:pypi/b@1.0",
                  .path = "b/attention.py",
                  .spdx = "Apache-2.0",
                  .op = "matmul",
                  .split = "validation",
                  .answer = std::string(5000, 'x'),
                  .width = 4096},
                 {.name = "Plain", .spdx = "", .dtype = "bfloat16", .width = 16}});
  EXPECT_TRUE(description.statistics.Add(DescribedKernel("add_kernel")).ok());
  for (const Record& record : DescribedAnswers()) {
    EXPECT_TRUE(description.statistics.Add(record).ok());
  }
  description.mixture = {.families = {{"translate", 0.45, 0}, {"shape_reasoning", 0.08, 1}},
                         .caps = {{"elementwise", 0.15, 0.0312, 0, 1}, {"task", 0.001, 0.4, 3, 3}},
                         .near_equal = {3, 0.8},
                         .least_weight = 0.25,
                         .most_weight = 1.875};
  description.statistics.near_equal_rows = {{"shape_reasoning", 1}};
  return description;
}

inline DatasetDescription Hostile() {
  const std::string name = HostileName();
  DatasetDescription description = Described({{.name = name,
                                               .url = name + std::string(100'000, 'u'),
                                               .path = name,
                                               .spdx = name,
                                               .op = name,
                                               .dtype = name,
                                               .answer = name}});
  EXPECT_TRUE(description.statistics.Add(DescribedKernel(name, "cuda", name)).ok());
  for (const Record& record : DescribedAnswers("cuda", name, name)) {
    EXPECT_TRUE(description.statistics.Add(record).ok());
  }
  description.mixture = {
      .families = {{name, 1, 0}}, .caps = {{name, 0.1, 0.2, 1, 1}}, .near_equal = {1, 0.5}};
  description.statistics.near_equal_rows = {{name, 2}};
  description.steps.push_back(
      {name, "inputs", {.in = 1, .rejected = {{name, 1}}, .counters = {{name, 1}}}});
  description.versions[name] = name;
  return description;
}

// Compares `text` with the file tests/golden/<name>. When the environment variable
// KERNELMILL_UPDATE_GOLDEN is set, writes the file instead.
inline void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = KERNELMILL_GOLDEN "/" + name;
  if (getenv("KERNELMILL_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(ReplaceFile(path, text).ok());
  }
  const Result<std::string> golden = ReadFile(path);
  ASSERT_TRUE(golden.ok()) << golden.status().message();
  EXPECT_EQ(text, *golden) << "if this is meant, run again with KERNELMILL_UPDATE_GOLDEN=1";
}

}  // namespace kernelmill
