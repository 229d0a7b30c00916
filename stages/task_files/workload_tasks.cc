#include "stages/task_files/workload_tasks.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "manifests/ascii.h"
#include "manifests/commit_file.h"
#include "manifests/json.h"
#include "parsers/cuda_attributes.h"
#include "parsers/python_signature.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kArguments = "func_", kConfigured = "config_";
constexpr std::string_view kCases = "get_input_groups";
constexpr char kNoInitInputs[] = "\n\ndef get_init_inputs():\n    return []\n";
// Limits of one problem. Benchmarks stay far below them.
constexpr std::uintmax_t kMostInputs = 16 << 20;  // Bytes of the file that describes the inputs.
constexpr std::size_t kMostTasks = 4096;
constexpr std::size_t kMostText = 64 << 20;  // Bytes of all its tasks.
constexpr std::size_t kMostAxes = 256;

// A JSON value as a Python expression.
std::string PythonOf(const Json& value) {
  if (value.is_null()) return "None";
  if (value.is_bool()) return value.as_bool() ? "True" : "False";
  if (value.is_array()) {
    std::string text = "[";
    for (const Json& item : value.as_array()) text += PythonOf(item) + ", ";
    return text + "]";
  }
  if (value.is_object()) {
    std::string text = "{";
    for (const auto& [name, item] : value.as_object()) {
      text += Json(name).Dump() + ": " + PythonOf(item) + ", ";
    }
    return text + "}";
  }
  return value.Dump();  // A string of JSON has the escapes of Python.
}

Status Malformed(const std::string& path, const std::string& what) {
  return Status(ErrorCode::kCorrupt, path + ": " + what);
}

// A link could name any file of this machine.
Result<std::string> ReadInputs(const std::string& path) {
  std::error_code error;
  if (fs::symlink_status(path, error).type() != fs::file_type::regular) {
    return Malformed(path, "it is missing, or is no regular file");
  }
  if (fs::file_size(path, error) > kMostInputs) {
    return Malformed(path, "it has more than " + std::to_string(kMostInputs) + " bytes");
  }
  return ReadFile(path);
}

Result<Json> ReadObject(const std::string& path) {
  KM_ASSIGN(const std::string text, ReadInputs(path));
  Result<Json> json = Json::Parse(text);
  if (!json.ok()) return json.status().Within(path);
  if (!json->is_object()) return Malformed(path, "it is no JSON object");
  return json;
}

// The lines of a file, each a JSON value.
Result<std::vector<Json>> ReadLines(const std::string& path) {
  KM_ASSIGN(const std::string text, ReadInputs(path));
  std::vector<Json> lines;
  std::string_view rest = text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    const Result<Json> json = Json::Parse(line);
    if (!json.ok()) return json.status().Within(path + ", line " + std::to_string(number));
    lines.push_back(*json);
  }
  if (lines.empty()) return Malformed(path, "it has no line");
  return lines;
}

// The tasks of a problem, within the limits.
class Tasks {
 public:
  explicit Tasks(std::string path) : path_(std::move(path)) {}

  Status Add(WorkloadTask task) {
    text_ += task.code.size() + task.inputs.size();
    if (tasks_.size() == kMostTasks || text_ > kMostText) {
      return Malformed(path_, "its sets of inputs make more than " + std::to_string(kMostTasks) +
                                  " tasks, or " + std::to_string(kMostText) + " bytes of them");
    }
    tasks_.push_back(std::move(task));
    return Status::Ok();
  }
  std::vector<WorkloadTask> Take() { return std::move(tasks_); }

 private:
  std::string path_;
  std::size_t text_ = 0;
  std::vector<WorkloadTask> tasks_;
};

// An expression for a tensor of random values; empty if it cannot be drawn. Each of the `sizes` has
// a comma behind it.
std::string RandomTensor(const std::string& sizes, const std::string& dtype) {
  const std::string shape = "(" + sizes + ")";
  if (dtype == "bool") return "torch.rand(" + shape + ") < 0.5";
  if (!IsIdentifier(dtype)) return "";
  if (dtype.starts_with("int") || dtype.starts_with("uint")) {
    return "torch.randint(0, 127, " + shape + ", dtype=torch." + dtype + ")";
  }
  // Four bits are no dtype that torch draws or computes with.
  if (dtype.find("float") == dtype.npos || dtype.starts_with("float4")) return "";
  return dtype.starts_with("float8") ? "torch.randn(" + shape + ").to(torch." + dtype + ")"
                                     : "torch.randn(" + shape + ", dtype=torch." + dtype + ")";
}

// Writes the tasks of a definition.json.
class Definition {
 public:
  static Result<Definition> Read(const std::string& path) {
    Definition definition;
    KM_ASSIGN(definition.json_, ReadObject(path));
    const Json &json = definition.json_, *reference = json.Find("reference");
    for (const std::string_view key : {"axes", "inputs"}) {
      const Json* value = json.Find(key);
      if (value == nullptr || !value->is_object()) {
        return Malformed(path, "it has no object '" + std::string(key) + "'");
      }
      for (const auto& [name, what] : value->as_object()) {
        if (!IsIdentifier(name) || !what.is_object()) {
          return Malformed(path, "'" + name + "' in '" + std::string(key) + "' is no " +
                                     "identifier with an object");
        }
      }
    }
    if (json.Find("axes")->as_object().size() > kMostAxes) {
      return Malformed(path, "it has more than " + std::to_string(kMostAxes) + " axes");
    }
    if (!definition.OrderExpressions()) {
      return Malformed(path, "an axis has no known expression, or two axes need each other");
    }
    if (reference == nullptr || !reference->is_string()) {
      return Malformed(path, "it has no text 'reference'");
    }
    const SyntaxTree tree = SyntaxTree::Parse(Grammar::kPython, reference->as_string());
    const SyntaxNode run = FindDefinition(tree.Root(), "run");
    if (!run) return Malformed(path, "its 'reference' defines no function run()");
    for (const PythonParameter& parameter : ReadParameters(run)) {
      const std::string name(parameter.name);
      if (json.Find("inputs")->Find(name) == nullptr) {
        return Malformed(path, "run() has the parameter " + name + ", which 'inputs' lacks");
      }
      definition.parameters_.push_back(name);
    }
    return definition;
  }

  WorkloadTask TaskOf(const Json& workload) const {
    std::string forward, call, inputs;
    bool custom = false;
    for (const std::string& name : parameters_) {
      const Json* given = workload.is_object() ? workload.Find("inputs") : nullptr;
      if (given != nullptr && given->is_object()) given = given->Find(name);
      if (given == nullptr || !given->is_object()) return {.problem = "no input " + name};
      const std::string type = given->TextAt("type");
      if (type == "scalar") {
        const Json* value = given->Find("value");
        call += name + "=" + (value == nullptr ? "None" : PythonOf(*value)) + ", ";
        continue;
      }
      forward += ", " + name;
      call += name + "=" + name + ", ";
      if (type == "custom") {
        custom = true;
        inputs += "custom[\"" + name + "\"], ";
        continue;
      }
      const std::string drawn = type == "random" ? DrawOf(*json_.Find("inputs")->Find(name)) : "";
      if (drawn.empty()) {
        return {.problem = "the input " + name + " has the type '" + type +
                           "', or a shape or dtype, that cannot be drawn"};
      }
      inputs += drawn + ", ";
    }
    const std::optional<std::string> axes = AxesOf(workload);
    if (!axes) return {.problem = "an axis without a whole number"};
    std::string code = json_.TextAt("reference");
    code +=
        "\n\n\nimport torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
        "    def forward(self" +
        forward + "):\n        return run(" + call +
        ")\n\n\n"
        "def get_inputs():\n" +
        *axes;
    if (custom) {
      const std::string entry = json_.TextAt("custom_inputs_entrypoint");
      if (!IsIdentifier(entry)) return {.problem = "it names no custom_inputs_entrypoint"};
      code += "    custom = " + entry + "(dict(locals()), torch.device(\"cpu\"))\n";
    }
    return {.code = code + "    return [" + inputs + "]\n" + kNoInitInputs};
  }

 private:
  static std::string DrawOf(const Json& input) {
    const Json* shape = input.Find("shape");
    if (shape == nullptr || !shape->is_array()) return "";
    std::string sizes;
    for (const Json& axis : shape->as_array()) {
      if (!axis.is_string() || !IsIdentifier(axis.as_string())) return "";
      sizes += axis.as_string() + ", ";
    }
    return RandomTensor(sizes, input.TextAt("dtype"));
  }

  // Puts the axes that are expressions behind those that they use. False if they use each other, or
  // anything but names, numbers and operators.
  bool OrderExpressions() {
    constexpr std::string_view kExpression = " +-*/%()_0123456789";
    std::map<std::string, std::set<std::string>, std::less<>> left;  // With what each waits for.
    for (const auto& [name, axis] : json_.Find("axes")->as_object()) {
      if (axis.TextAt("type") != "expr") continue;
      const std::string text = axis.TextAt("expression");
      for (const char c : text) {
        if (!IsLetter(c) && kExpression.find(c) == kExpression.npos) return false;
      }
      if (text.empty()) return false;
      left[name];
    }
    for (auto& [name, awaited] : left) {
      const std::string text = json_.Find("axes")->Find(name)->TextAt("expression");
      for (const std::string_view word : IdentifiersIn(text)) {
        if (left.contains(word)) awaited.emplace(word);
      }
    }
    while (!left.empty()) {
      const auto free =
          std::ranges::find_if(left, [](const auto& one) { return one.second.empty(); });
      if (free == left.end()) return false;
      const std::string name = free->first;
      expressions_ +=
          "    " + name + " = " + json_.Find("axes")->Find(name)->TextAt("expression") + "\n";
      left.erase(free);
      for (auto& [other, awaited] : left) awaited.erase(name);
    }
    return true;
  }

  // An assignment for each axis, expressions after what they use.
  std::optional<std::string> AxesOf(const Json& workload) const {
    std::string lines;
    for (const auto& [name, axis] : json_.Find("axes")->as_object()) {
      const std::string type = axis.TextAt("type");
      if (type == "expr") continue;
      const Json* given = workload.Find("axes");
      const Json* value = type == "const"                          ? axis.Find("value")
                          : given != nullptr && given->is_object() ? given->Find(name)
                                                                   : nullptr;
      if (value == nullptr || !value->is_int()) return {};
      lines += "    " + name + " = " + value->Dump() + "\n";
    }
    return lines + expressions_;
  }

  Json json_;
  std::vector<std::string> parameters_;  // Of run(), in order.
  std::string expressions_;              // The assignments of axes that are expressions.
};

Result<std::vector<WorkloadTask>> DefinitionTasks(const std::string& path,
                                                  const std::string& inputs) {
  KM_ASSIGN(const Definition definition, Definition::Read(path));
  KM_ASSIGN(const std::vector<Json> workloads, ReadLines(inputs));
  Tasks tasks(path);
  for (const Json& workload : workloads) {
    WorkloadTask task = definition.TaskOf(workload);
    if (task.code.empty()) task.inputs = workload.Dump();
    KM_RETURN_IF_ERROR(tasks.Add(std::move(task)));
  }
  return tasks.Take();
}

// The values for the parameters of a function in their order, from named ones and its defaults. The
// first parameter is left out for `self`. Nothing if one has no value.
std::optional<std::string> ArgumentsOf(const SyntaxNode& function, bool self,
                                       const Json::Object& named) {
  std::string arguments;
  const std::vector<PythonParameter> parameters = ReadParameters(function);
  for (std::size_t i = self ? 1 : 0; i < parameters.size(); ++i) {
    const auto value = named.find(parameters[i].name);
    if (parameters[i].kind != PythonParameter::Kind::kPositional ||
        (value == named.end() && !parameters[i].default_value)) {
      return {};
    }
    arguments += value != named.end() ? PythonOf(value->second)
                                      : std::string(parameters[i].default_value.Text());
    arguments += ", ";
  }
  return arguments;
}

// One of several sets of named arguments, with those that two functions share.
Json::Object Joined(const Json& set, const Json& shared) {
  Json::Object joined;
  for (const Json* one : {&shared, &set}) {
    if (one->is_object()) joined.insert(one->as_object().begin(), one->as_object().end());
  }
  return joined;
}

// `get_inputs` and the constructor take their arguments from a configuration, which holds sets of
// arguments of either and of both: first those for one measurement, then those for several.
Result<std::vector<WorkloadTask>> ArgumentTasks(const std::string& path,
                                                const std::string& inputs) {
  KM_ASSIGN(const std::string text, ReadFile(path));
  KM_ASSIGN(const Json json, ReadObject(inputs));
  const SyntaxTree tree = SyntaxTree::Parse(Grammar::kPython, text);
  const SyntaxNode constructor = FindConstructor(tree.Root(), "Model");
  const SyntaxNode draw = FindDefinition(tree.Root(), "get_inputs");
  if (!draw) return Malformed(path, "it defines no function get_inputs()");
  Tasks tasks(inputs);
  std::set<std::string> known;
  for (const std::string kind : {"single", "multi"}) {
    Json::Array sets[3];
    for (const auto& [i, name] : {std::pair(0, "_init"), {1, "_input"}, {2, "_shared"}}) {
      const Json* value = json.Find(kind + name + "_configs");
      if (value == nullptr || !value->is_array()) {
        return Malformed(inputs, "it has no list '" + kind + name + "_configs'");
      }
      sets[i] = value->as_array();
      if (sets[i].size() > kMostTasks) return Malformed(inputs, "one of its lists is too long");
    }
    // Each list is short, so the product does not overflow.
    if (sets[0].size() * sets[1].size() * sets[2].size() > kMostTasks) {
      return Malformed(inputs, "its lists make more than " + std::to_string(kMostTasks) + " tasks");
    }
    for (const Json& init : sets[0]) {
      for (const Json& input : sets[1]) {
        for (const Json& shared : sets[2]) {
          const auto drawn = ArgumentsOf(draw, false, Joined(input, shared));
          const auto constructed = constructor
                                       ? ArgumentsOf(constructor, true, Joined(init, shared))
                                       : std::optional<std::string>("");
          if (!drawn || !constructed) {
            KM_RETURN_IF_ERROR(
                tasks.Add({.problem = "get_inputs() or Model lacks an argument",
                           .inputs = Json(Json::Array{init, input, shared}).Dump()}));
            continue;
          }
          std::string code = text +
                             "\n\n_draw_inputs = get_inputs\n\n\ndef get_inputs():\n"
                             "    return _draw_inputs(" +
                             *drawn + ")\n\n\ndef get_init_inputs():\n    return [" + *constructed +
                             "]\n";
          if (!known.insert(code).second) continue;
          KM_RETURN_IF_ERROR(tasks.Add({.code = std::move(code)}));
        }
      }
    }
  }
  return tasks.Take();
}

// The text without get_input_groups(), which reads a file, and without what it imports for that.
std::string WithoutCases(const std::string& text) {
  std::string rest;
  std::size_t at = 0;
  const SyntaxTree tree = SyntaxTree::Parse(Grammar::kPython, text);
  for (const SyntaxNode& node : tree.Root().Children()) {
    const bool left_out = (node.Is("function_definition") && node.Field("name").Text() == kCases) ||
                          (node.Is("import_statement") &&
                           (node.Text() == "import os" || node.Text() == "import json"));
    if (!left_out) continue;
    rest += text.substr(at, node.First() - at);
    at = node.Last();
  }
  return rest + text.substr(at);
}

// Each line of the file names the inputs of one case, with shapes and dtypes, or values.
Result<std::vector<WorkloadTask>> CaseTasks(const std::string& path, const std::string& inputs) {
  KM_ASSIGN(const std::string text, ReadFile(path));
  KM_ASSIGN(const std::vector<Json> cases, ReadLines(inputs));
  const std::string module = WithoutCases(text);
  const std::string init = HoldsWord(text, "get_init_inputs") ? "" : kNoInitInputs;
  Tasks tasks(inputs);
  for (const Json& one : cases) {
    const Json* given = one.is_object() ? one.Find("inputs") : nullptr;
    std::string drawn;
    WorkloadTask task;
    if (given == nullptr || !given->is_array()) task.problem = "a case without a list 'inputs'";
    for (const Json& input : task.problem.empty() ? given->as_array() : Json::Array()) {
      const Json *shape = input.Find("shape"), *value = input.Find("value");
      std::string sizes;
      const bool tensor = shape != nullptr && shape->is_array();
      for (const Json& size : tensor ? shape->as_array() : Json::Array()) {
        sizes += PythonOf(size) + ", ";
      }
      const std::string text_of = tensor             ? RandomTensor(sizes, input.TextAt("dtype"))
                                  : value != nullptr ? PythonOf(*value)
                                                     : "";
      if (text_of.empty()) task.problem = "an input that cannot be drawn";
      drawn += text_of + ", ";
    }
    if (task.problem.empty()) {
      task.code = module + "\n\ndef get_inputs():\n    return [" + drawn + "]\n" + init;
    } else {
      task.inputs = one.Dump();
    }
    KM_RETURN_IF_ERROR(tasks.Add(std::move(task)));
  }
  return tasks.Take();
}

}  // namespace

std::string InputsBeside(const std::string& path) {
  const fs::path file(path);
  const std::string name = file.stem();
  if (file.filename() == kDefinitionName) return file.parent_path() / "workload.jsonl";
  const auto holds = [](const fs::path& text, std::string_view word) {
    const Result<std::string> read = ReadInputs(text);
    return read.ok() && HoldsWord(*read, word);
  };
  if (name.starts_with(kArguments)) {
    const fs::path inputs =
        file.parent_path() / (std::string(kConfigured) + name.substr(kArguments.size()) + ".json");
    if (holds(inputs, "single_input_configs")) return inputs;
  }
  const fs::path inputs = fs::path(file).replace_extension(".json");
  std::error_code error;
  const bool exists = fs::symlink_status(inputs, error).type() == fs::file_type::regular;
  return exists && holds(file, kCases) ? inputs.string() : "";
}

Result<std::vector<WorkloadTask>> WorkloadTasks(const std::string& path) {
  const std::string inputs = InputsBeside(path);
  if (fs::path(path).filename() == kDefinitionName) return DefinitionTasks(path, inputs);
  const bool arguments = fs::path(inputs).filename().string().starts_with(kConfigured);
  return arguments ? ArgumentTasks(path, inputs) : CaseTasks(path, inputs);
}

}  // namespace kernelmill
