// Problems whose inputs are described beside their text become tasks that the real worker captures.
#include "stages/task_files/workload_tasks.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "manifests/commit_file.h"
#include "stages/admit/decontamination.h"
#include "stages/recipes/fingerprint_listing.h"
#include "stages/task_files/supplied_rows.h"
#include "tests/shared_suite.h"
#include "tests/stages/worker/worker_suite.h"

namespace kernelmill {
namespace {

constexpr char kDefinition[] = R"({"name": "scaled_sum", "axes": {
  "rows": {"type": "var"}, "width": {"type": "const", "value": 24},
  "both": {"type": "expr", "expression": "half * 2"},
  "half": {"type": "expr", "expression": "rows + width"}},
 "inputs": {"x": {"shape": ["rows", "width"], "dtype": "float32"},
            "y": {"shape": ["both"], "dtype": "bfloat16"}, "eps": {"shape": null, "dtype": "float32"},
            "picked": {"shape": ["rows"], "dtype": "int64"}},
 "outputs": {}, "custom_inputs_entrypoint": "draw",
 "reference": "import torch\n\ndef draw(axes, device):\n    return {'picked': torch.arange(axes['rows'], device=device)}\n\ndef run(y, x, eps, picked):\n    return torch.relu(x).sum(dim=1) * eps + picked, y.float() * 2\n"})";
constexpr char kWorkloads[] =
    R"({"uuid": "a", "axes": {"rows": 4}, "inputs": {"x": {"type": "random"}, "y": {"type": "random"}, "eps": {"type": "scalar", "value": 0.5}, "picked": {"type": "custom"}}}
{"uuid": "b", "axes": {"rows": 6}, "inputs": {"x": {"type": "random"}, "y": {"type": "random"}, "eps": {"type": "scalar", "value": 0.5}, "picked": {"type": "random"}}}

{"uuid": "c", "axes": {"rows": 6}, "inputs": {"x": {"type": "safetensors", "path": "x", "tensor_key": "x"}, "y": {"type": "random"}, "eps": {"type": "scalar", "value": 1}, "picked": {"type": "random"}}}
{"uuid": "d", "axes": {}, "inputs": {"x": {"type": "random"}, "y": {"type": "random"}, "eps": {"type": "scalar", "value": 1}, "picked": {"type": "random"}}}
)";

constexpr char kFunction[] =
    "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\n"
    "def forward_fn(x, weight, eps):\n    return F.relu(F.linear(x, weight)) + eps\n\n\n"
    "class Model(nn.Module):\n    def __init__(self, width, features=8, eps=1e-5):\n"
    "        super(Model, self).__init__()\n        self.eps = eps\n"
    "        self.weight = nn.Parameter(torch.randn(features, width))\n\n"
    "    def forward(self, x, fn=forward_fn):\n        return fn(x, self.weight, self.eps)\n\n\n"
    "def get_inputs(rows: int = 4, width: int = 12):\n    return [torch.randn(rows, width)]\n";
constexpr char kArguments[] =
    R"({"single_input_configs": [{"rows": 5}], "single_init_configs": [{}],
        "single_shared_configs": [{"width": 16}], "multi_input_configs": [{"rows": 5}, {}],
        "multi_init_configs": [{}], "multi_shared_configs": [{"width": 16}]})";

constexpr char kCases[] =
    "import torch\nimport torch.nn as nn\nimport json\nimport os\n\n\nclass Model(nn.Module):\n"
    "    def forward(self, x, dim):\n        return torch.softmax(x, dim)\n\n\n"
    "def get_input_groups():\n"
    "    with open(os.path.join(os.path.dirname(__file__), \"3_softmax.json\")) as file:\n"
    "        return [json.loads(line) for line in file]\n\n\n"
    "def get_init_inputs():\n    return []\n";
constexpr char kCaseLines[] =
    R"({"inputs": [{"name": "x", "type": "tensor", "dtype": "float16", "shape": [3, 5]}, {"name": "dim", "type": "attr", "value": -1}]}
{"inputs": [{"name": "x", "type": "tensor", "dtype": "complex64", "shape": [3]}, {"name": "dim", "type": "attr", "value": 0}]}
)";

class WorkloadTasksTest : public WorkerSuite<> {
 protected:
  void SetUp() override {
    std::string path = (std::filesystem::temp_directory_path() / "km-workloads-XXXXXX").string();
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    folder_ = path;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& bytes) {
    ASSERT_TRUE(MakeFolders(FolderOf(folder_ + "/" + name)).ok());
    ASSERT_TRUE(ReplaceFile(folder_ + "/" + name, bytes).ok());
  }
  std::vector<SuppliedRow> Rows() const {
    std::vector<SuppliedRow> rows;
    const auto source = ResolveTasks({.tasks = folder_}, "tasks");
    EXPECT_TRUE(source.ok()) << source.status().message();
    EXPECT_TRUE(ForEachRow(*source, kLargestReference, [&](SuppliedRow row) {
                  rows.push_back(std::move(row));
                  return Status::Ok();
                }).ok());
    return rows;
  }
  std::string Digest() const { return ResolveTasks({.tasks = folder_}, "tasks")->sha256; }
  // The lines of the folder's table, without the head.
  std::vector<std::string> Problems() const {
    const auto listing = ListFingerprints(folder_);
    EXPECT_TRUE(listing.ok()) << listing.status().message();
    std::vector<std::string> lines;
    std::string_view rest = std::string_view(listing->table).substr(kBenchmarkTableHead.size());
    for (; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
      lines.emplace_back(rest.substr(0, rest.find('\n')));
    }
    return lines;
  }

  std::string folder_;
};

KM_SHARED_SUITE(WorkloadTasksTest);

TEST_F(WorkloadTasksTest, ADefinitionIsATaskForEachWorkload) {
  Write("L1/sum/definition.json", kDefinition);
  Write("L1/sum/workload.jsonl", kWorkloads);
  Write("L1/sum/reference.py", "not = read");
  const auto rows = Rows();
  ASSERT_EQ(rows.size(), 4);
  EXPECT_EQ(rows[0].name, "sum:1");
  EXPECT_EQ(rows[1].origin.row, 2);
  EXPECT_EQ(rows[1].origin.path, "L1/sum/definition.json");
  EXPECT_EQ(rows[2].reason, "bad_row");
  EXPECT_NE(rows[2].detail.find("the input x has the type 'safetensors'"), std::string::npos);
  EXPECT_NE(rows[3].detail.find("an axis without a whole number"), std::string::npos);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(rows[i].reason, "") << rows[i].detail;
    const auto graph = CaptureFingerprint(rows[i].bytes, worker_);
    ASSERT_TRUE(graph.ok());
    EXPECT_EQ(graph->has_value(), i == 1) << rows[i].bytes;  // arange is no input.
  }
  const auto problems = Problems();
  ASSERT_EQ(problems.size(), 2);
  EXPECT_TRUE(problems[0].starts_with("L1/sum/definition:1\t")) << problems[0];
  EXPECT_FALSE(problems[0].ends_with("\t")) << "of several sets, the module is listed";
  EXPECT_TRUE(problems[1].ends_with("\t\t")) << "the text stands once: " << problems[1];
}

TEST_F(WorkloadTasksTest, ArgumentsAndCasesAreTasks) {
  Write("linear/func_forward.py", kFunction);
  Write("linear/config_forward.json", kArguments);
  Write("level0/3_softmax.py", kCases);
  Write("level0/3_softmax.json", kCaseLines);
  const auto rows = Rows();
  ASSERT_EQ(rows.size(), 4);
  EXPECT_EQ(rows[0].name, "3_softmax:1");
  EXPECT_EQ(rows[1].reason, "bad_row");
  EXPECT_EQ(rows[2].name, "func_forward:1");
  EXPECT_NE(rows[2].bytes.find("_draw_inputs(5, 16, )"), std::string::npos) << rows[2].bytes;
  EXPECT_NE(rows[3].bytes.find("return [16, 8, 1e-5, ]"), std::string::npos) << rows[3].bytes;
  for (const std::size_t i : {0, 2, 3}) {
    const auto graph = CaptureFingerprint(rows[i].bytes, worker_);
    EXPECT_TRUE(graph.ok() && graph->has_value()) << rows[i].bytes;
  }
}

TEST_F(WorkloadTasksTest, TheHashOfAFolderCoversItsInputs) {
  Write("a/definition.json", kDefinition);
  const std::string none = Digest();
  ASSERT_EQ(Rows().size(), 1);
  EXPECT_EQ(Rows()[0].reason, "bad_row");
  EXPECT_EQ(Rows()[0].detail.find(folder_), std::string::npos) << Rows()[0].detail;
  Write("a/workload.jsonl", kWorkloads);
  const std::string some = Digest();
  EXPECT_NE(some, none);
  Write("a/workload.jsonl", std::string(kWorkloads) + "\n");
  EXPECT_NE(Digest(), some);
}

TEST_F(WorkloadTasksTest, MistakesNameFileAndKey) {
  const std::string good = kDefinition;
  const auto changed = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  Write("a/workload.jsonl", kWorkloads);
  for (const auto& [text, message] : std::map<std::string, std::string>{
           {"[]", "it is no JSON object"},
           {"{", "a/definition.json"},
           {changed("\"axes\"", "\"axis\""), "it has no object 'axes'"},
           {changed("\"rows\": {", "\"ro ws\": {"), "'ro ws' in 'axes' is no identifier"},
           {changed("def run(", "def walk("), "defines no function run()"},
           {changed("run(y, x, ", "run(y, z, "), "run() has the parameter z"},
           {changed("half * 2", "half * both2 + both"), "two axes need each other"},
           {changed("half * 2", "__import__('os')"), "an axis has no known expression"},
           {changed("\"reference\"", "\"code\""), "it has no text 'reference'"}}) {
    Write("a/definition.json", text);
    const auto tasks = WorkloadTasks(folder_ + "/a/definition.json");
    ASSERT_FALSE(tasks.ok()) << text;
    EXPECT_NE(tasks.status().message().find(message), std::string::npos)
        << tasks.status().message();
    EXPECT_NE(tasks.status().message().find("definition.json"), std::string::npos);
  }
}

TEST_F(WorkloadTasksTest, HostileSetsOfInputsAreRefusedAsOneRow) {
  std::string lists, axes;
  for (const std::string kind : {"single", "multi"}) {
    for (const std::string of : {"init", "input", "shared"}) {
      lists += (lists.empty() ? "{\"" : ", \"") + kind + "_" + of + "_configs\": [{}";
      for (int i = 0; i < 1000; ++i) lists += ", {}";
      lists += "]";
    }
  }
  Write("lists/func_forward.py", kFunction);
  Write("lists/config_forward.json", lists + "}");
  Write("link/3_softmax.py", kCases);
  Write("secret", kCaseLines);
  std::filesystem::create_symlink(folder_ + "/secret", folder_ + "/link/3_softmax.json");
  const auto rows = Rows();
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].name, "3_softmax");
  EXPECT_EQ(rows[0].bytes.find("complex64"), std::string::npos) << "a link was followed";
  EXPECT_EQ(rows[1].reason, "bad_row");
  EXPECT_NE(rows[1].detail.find("its lists make more than"), std::string::npos) << rows[1].detail;

  std::string lines;
  for (int i = 0; i < 100'000; ++i) lines += "{}\n";
  for (int i = 0; i < 20'000; ++i) {
    axes += "\"a" + std::to_string(i) + "\": {\"type\": \"expr\", \"expression\": \"a" +
            std::to_string(i + 1) + "\"}, ";
  }
  std::string many = kDefinition;
  many.replace(many.find("\"rows\": {"), 0, axes);
  Write("lines/definition.json", kDefinition);
  Write("lines/workload.jsonl", lines);
  Write("axes/definition.json", many);
  Write("axes/workload.jsonl", kWorkloads);
  const auto others = Rows();
  ASSERT_EQ(others.size(), 2);
  EXPECT_NE(others[0].detail.find("more than 256 axes"), std::string::npos) << others[0].detail;
  EXPECT_NE(others[1].detail.find("its sets of inputs make more than"), std::string::npos)
      << others[1].detail;
}

}  // namespace
}  // namespace kernelmill
