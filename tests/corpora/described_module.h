// Records of every kind with realistic facts, and variants with hostile names, for tests of texts
// for users: inspect, trace, card, report.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "corpora/records/annotation.h"
#include "corpora/records/candidate.h"
#include "corpora/records/kernel_source.h"
#include "corpora/records/record.h"
#include "corpora/records/row_attributes.h"
#include "corpora/records/task.h"
#include "corpora/records/training_record.h"
#include "manifests/git_id.h"
#include "tests/corpora/git_fixture.h"

namespace kernelmill {

// One module: its task, its annotation and a row about it.
struct DescribedModule {
  std::string name = "Scale";
  std::string url = "https://example.org/a";
  std::string path = "net/scale.py";
  std::string spdx = "MIT";
  std::string op = "mul";
  std::string dtype = "float32";
  std::string split = "train";
  std::string answer = "The result is (2, 8) float32.";
  std::int64_t width = 8;

  Record task, annotation, row;

  void AddTo(std::map<Digest, std::string>* records) {
    Make();
    for (const Record* record : {&task, &annotation, &row}) {
      (*records)[record->ContentId()] = record->Encode();
    }
  }

 private:
  void Make() {
    task.payload = Task{.code = "class Model(nn.Module):  # " + name + "\n    pass\n",
                        .inputs = {{.name = "x", .dtype = dtype, .shape = {2, width}}}}
                       .ToJson();
    task.attributes["name"] = name;
    task.origins = {{.url = url,
                     .commit = std::string(40, 'c'),
                     .blob = std::string(40, 'b'),
                     .path = path,
                     .symbol = name,
                     .first_line = 3,
                     .last_line = 20}};
    if (!spdx.empty()) {
      task.licences = {{.spdx = spdx,
                        .level = LicenceLevel::kNearestFile,
                        .path = "LICENSE",
                        .blob = GitBlobId(kMitLicence)}};
    }
    task.lineage = {
        {.step = "mine", .parameters = DigestOf("mine")},
        {.step = "admit", .parameters = DigestOf("admit"), .inputs = {DigestOf("candidate")}}};

    const TensorFacts tensor = {.shape = {2, width}, .dtype = dtype, .stride = {width, 1}};
    Annotation facts;
    facts.task = task.ContentId();
    facts.values = {{.line = 2, .name = "x", .tensor = tensor}};
    facts.operators = {{.line = 3, .name = op, .outputs = {tensor}}};
    facts.aten = {{.name = "aten." + op, .count = 1}};
    facts.outputs = {tensor};
    facts.parameters = {{.name = "scale", .shape = {width}, .dtype = dtype}};
    facts.flops = 2 * width;
    facts.bytes = 20 * width;
    annotation = task;
    annotation.kind = RecordKind::kAnnotation;
    annotation.payload = facts.ToJson();
    annotation.attributes.clear();
    annotation.lineage = {
        {.step = "admit", .parameters = DigestOf("admit"), .inputs = {facts.task}}};

    TrainingRecord training;
    training.backend = "pytorch";
    training.prompt_template = "shape-1";
    training.task_id = facts.task;
    training.messages = {
        {"user", "Which shapes?\n\n```python\n" + task.payload.Find("code")->as_string() + "```\n"},
        {"assistant", answer}};
    row = task;
    row.kind = RecordKind::kTraining;
    row.payload = training.ToJson();
    row.attributes =
        RowAttributes{.split = split, .prompt_tokens = 60, .answer_tokens = 8}.ToJson();
    row.lineage = {{.step = "render",
                    .parameters = DigestOf("render"),
                    .inputs = {facts.task, annotation.ContentId()}}};
  }
};

// A correct answer to a task, and a mutant of it with the bug `bug`.
inline std::vector<Record> DescribedAnswers(const std::string& backend = "cuda",
                                            const std::string& strategy = "block_a_row",
                                            const std::string& bug = "missing_guard") {
  Candidate answer{.task = DigestOf("task"),
                   .backend = backend,
                   .code = "class ModelNew: pass\n",
                   .author = "lowering",
                   .structure = strategy,
                   .kernels = {{.function = "scale", .strategy = strategy}},
                   .memory_checked = true};
  answer.verdict.status = VerdictStatus::kCorrect;
  answer.verdict.policy = "strict";
  answer.verdict.backend = backend;
  answer.verdict.verified_on = "cpu_executor";
  answer.verdict.trials = {{.shapes = "own", .values = "own", .layout = "own", .passed = true},
                           {.shapes = "grading", .values = "own", .layout = "own", .passed = true}};
  Record right{.kind = RecordKind::kCandidate, .payload = answer.ToJson()};
  Candidate mutant = answer;
  mutant.author = "perturbation";
  mutant.parent = right.ContentId().Hex();
  mutant.bug = bug;
  mutant.verdict.status = VerdictStatus::kOutOfBounds;
  return {right, Record{.kind = RecordKind::kCandidate, .payload = mutant.ToJson()}};
}

// A native kernel that is launched once and lacks one name.
inline Record DescribedKernel(const std::string& name, const std::string& backend = "cuda",
                              const std::string& missing = "glm::vec3") {
  Record record;
  record.kind = RecordKind::kKernel;
  record.payload = KernelSource{
      .name = name,
      .backend = backend,
      .code = "__global__ void " + name + "() {\n}\n",
      .line = 1,
      .launches = {{.function = "start", .grid = "1", .block = "32"}},
      .missing = {
          missing}}.ToJson();
  record.origins = {{.url = "https://example.org/k",
                     .commit = std::string(40, 'c'),
                     .blob = std::string(40, 'b'),
                     .path = "k.cu",
                     .symbol = name,
                     .first_line = 1,
                     .last_line = 2}};
  record.licences = {{.spdx = "MIT",
                      .level = LicenceLevel::kNearestFile,
                      .path = "LICENSE",
                      .blob = GitBlobId(kMitLicence)}};
  record.lineage = {{.step = "mine", .parameters = DigestOf("mine")}};
  return record;
}

// A name with everything that could break out of a line, a tag, a table, a YAML value or a
// terminal.
inline std::string HostileName() {
  return "</td><script>alert(1)</script>&amp;\"'|`*_[x](javascript:y)\n---\nlicense: evil\n"
         "\x1b[2J\x07\xe2\x80\xae\xc2\x9b{{#}} $x$ <!-- \\";
}

}  // namespace kernelmill
