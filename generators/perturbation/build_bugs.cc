// Bugs that the compiler rejects.
#include <functional>
#include <map>

#include "generators/perturbation/bug.h"

namespace kernelmill {
namespace {

using Sites = std::vector<BugSite>;

// A kernel loses a size parameter, and its launch the argument.
void FindSizesNotPassed(const AnswerTrees& answer, Sites* sites) {
  for (const CudaLaunchSite& launch : answer.launches()) {
    const CudaFunction* const kernel = answer.FindFunction(launch.kernel);
    if (kernel == nullptr || kernel->parameters.size() != launch.arguments.size()) continue;
    const std::vector<CudaVariable> variables = VariablesOf(*kernel);
    for (std::size_t i = 0; i < kernel->parameters.size(); ++i) {
      const CudaVariable* const size =
          FindVariable(variables, TextOf(kernel->parameters[i].Field("declarator")));
      if (size == nullptr || !size->IsInteger() || !MentionsName(kernel->body, size->name))
        continue;
      sites->push_back({ErasedItem(kernel->parameters, i), ErasedItem(launch.arguments, i)});
    }
  }
}

void FindMissingDeclarations(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "declaration", [&](const SyntaxNode& node, const CudaFunction&) {
    if (!node.Parent().Is("compound_statement") || NodesOf(node, "init_declarator").size() != 1) {
      return;
    }
    sites->push_back({ErasedStatement(node, answer.code())});
  });
}

void FindMisspeltIntrinsics(const AnswerTrees& answer, Sites* sites) {
  static const std::map<std::string_view, std::string_view> kWrong = {
      {"__syncthreads", "__syncthread"},
      {"__shfl_xor_sync", "__shfl_xor_f32"},
      {"__shfl_down_sync", "__shfl_down_f32"},
      {"fmaxf", "maxf"},
      {"fminf", "minf"},
      {"rsqrtf", "invsqrtf"},
      {"expf", "exp_f"},
      {"logf", "lnf"},
      {"fabsf", "absf"},
      {"tanhf", "tanh_f"},
      {"__float2half", "__float_to_half"},
      {"__half2float", "__half_to_float"},
      {"__float2bfloat16", "__float2bf16"},
      {"__bfloat162float", "__bf162float"},
      {"atomicAdd", "atomicAddFloat"},
      {"atomicMax", "atomicMaxFloat"}};
  ForEachIn(answer, true, "call_expression", [&](const SyntaxNode& call, const CudaFunction&) {
    const SyntaxNode callee = call.Field("function");
    const auto wrong = kWrong.find(TextOf(callee));
    if (wrong != kWrong.end()) sites->push_back({Replaced(callee, std::string(wrong->second))});
  });
}

void FindMissingSemicolons(const AnswerTrees& answer, Sites* sites) {
  for (const std::string_view kind : {"declaration", "expression_statement", "return_statement"}) {
    for (const CudaFunction& function : answer.functions()) {
      for (const SyntaxNode& node : NodesOf(function.body, kind)) {
        if (node.Text().ends_with(';') && node.Parent().Is("compound_statement")) {
          sites->push_back({{node.Last() - 1, node.Last(), ""}});
        }
      }
    }
  }
}

void FindUnclosedBraces(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "compound_statement", [&](const SyntaxNode& node, const CudaFunction&) {
    const SyntaxNode owner = node.Parent();
    if (!owner.Is("for_statement") && !owner.Is("if_statement")) return;
    const SyntaxNode brace = node.AllChildren().back();
    if (brace.Text() == "}") sites->push_back({ErasedStatement(brace, answer.code())});
  });
}

void FindWrongIncludes(const AnswerTrees& answer, Sites* sites) {
  static const std::map<std::string_view, std::string_view> kWrong = {
      {"<torch/extension.h>", "<torch/extensions.h>"},
      {"<ATen/cuda/CUDAContext.h>", "<ATen/CUDAContext.h>"},
      {"<c10/cuda/CUDAException.h>", "<c10/CUDAException.h>"},
      {"<c10/cuda/CUDAGuard.h>", "<ATen/CUDAGuard.h>"},
      {"<cuda_fp16.h>", "<cuda_half.h>"},
      {"<cuda_bf16.h>", "<cuda_bfloat16.h>"},
      {"<cuda_runtime.h>", "<cuda/runtime.h>"},
      {"<torch_musa/csrc/aten/musa/MUSAContext.h>", "<torch_musa/MUSAContext.h>"},
      {"<torch_musa/csrc/core/MUSAGuard.h>", "<torch_musa/MUSAGuard.h>"}};
  for (const SyntaxNode& node : NodesOf(answer.cuda(), "preproc_include")) {
    const auto wrong = kWrong.find(TextOf(node.Field("path")));
    if (wrong == kWrong.end()) continue;
    sites->push_back({Replaced(node.Field("path"), std::string(wrong->second))});
  }
}

// Calls visit(call) for every call of data_ptr: "x.data_ptr<float>()".
void ForEachPointerCall(const AnswerTrees& answer,
                        const std::function<void(const SyntaxNode&, const SyntaxNode&)>& visit) {
  ForEachIn(answer, false, "call_expression", [&](const SyntaxNode& call, const CudaFunction&) {
    const SyntaxNode function = call.Field("function");
    const SyntaxNode method = function.Field("field");
    if (function.Is("field_expression") && method.Is("template_method") &&
        TextOf(method.Field("name")) == "data_ptr") {
      visit(call, method);
    }
  });
}

void FindUntypedPointers(const AnswerTrees& answer, Sites* sites) {
  ForEachPointerCall(answer, [&](const SyntaxNode&, const SyntaxNode& method) {
    sites->push_back({Replaced(method, "data_ptr")});
  });
}

void FindTensorsForPointers(const AnswerTrees& answer, Sites* sites) {
  ForEachPointerCall(answer, [&](const SyntaxNode& call, const SyntaxNode&) {
    const SyntaxNode tensor = call.Field("function").Field("argument");
    sites->push_back({Replaced(call, std::string(TextOf(tensor)))});
  });
}

void FindWrongPointerTypes(const AnswerTrees& answer, Sites* sites) {
  ForEachPointerCall(answer, [&](const SyntaxNode&, const SyntaxNode& method) {
    const std::string_view type = TextOf(method.Field("arguments"));
    sites->push_back(
        {Replaced(method, type == "<double>" ? "data_ptr<float>" : "data_ptr<double>")});
  });
}

// The declaration for the binding differs from the definition.
void FindOtherDeclarations(const AnswerTrees& answer, Sites* sites) {
  for (const SyntaxNode& declaration : answer.declarations()) {
    const std::vector<SyntaxNode> parameters = declaration.Field("parameters").Children();
    if (parameters.size() > 1) {
      sites->push_back({ErasedItem(parameters, parameters.size() - 1)});
    }
    sites->push_back({Inserted(declaration.Field("parameters").Last() - 1,
                               parameters.empty() ? "int64_t n" : ", int64_t n")});
  }
}

void FindMissingDeviceWords(const AnswerTrees& answer, Sites* sites) {
  for (const CudaFunction& function : answer.functions()) {
    if (function.kind != CudaFunction::Kind::kDevice) continue;
    for (const SyntaxNode& child : function.node.AllChildren()) {
      if (child.Text() == "__device__") sites->push_back({{child.First(), child.Last() + 1, ""}});
    }
  }
}

void FindReadOnlyOutputs(const AnswerTrees& answer, Sites* sites) {
  for (const CudaFunction& function : answer.functions()) {
    if (function.kind != CudaFunction::Kind::kKernel) continue;
    for (const CudaVariable& variable : VariablesOf(function)) {
      if (variable.parameter && variable.pointer && !variable.constant) {
        sites->push_back({Inserted(variable.declaration.First(), "const ")});
      }
    }
  }
}

void FindMissingFunctions(const AnswerTrees& answer, Sites* sites) {
  for (const CudaFunction& function : answer.functions()) {
    if (function.kind != CudaFunction::Kind::kDevice) continue;
    SyntaxNode whole = function.node;
    if (whole.Parent().Is("template_declaration")) whole = whole.Parent();
    if (whole.Parent().Is("translation_unit")) {
      sites->push_back({ErasedStatement(whole, answer.code())});
    }
  }
}

void FindArraysOfRuntimeSize(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, true, "array_declarator", [&](const SyntaxNode& node, const CudaFunction&) {
    const SyntaxNode declaration = node.Parent();
    const SyntaxNode size = node.Field("size");
    if (!size || !declaration.Is("declaration")) return;
    if (declaration.Text().find("__shared__") != std::string_view::npos) {
      sites->push_back({Replaced(size, "blockDim.x")});
    }
  });
}

}  // namespace

void AddBuildBugs(std::vector<BugClass>* bugs) {
  using enum FailureClass;
  const auto add = [&](std::string_view name, std::string_view cause, std::string_view remedy,
                       auto find) {
    bugs->push_back({name, kBuild, BugProof::kRun, cause, remedy, find});
  };
  add("size_not_passed",
      "the kernel uses a size that is neither one of its parameters nor a variable of its "
      "own, so the source does not compile",
      "pass the size to the kernel as an argument of the launch", FindSizesNotPassed);
  add("missing_declaration",
      "the kernel uses a variable that it never declares, so the source does not compile",
      "declare the variable before its first use", FindMissingDeclarations);
  add("misspelt_intrinsic",
      "there is no device function of this name, so the source does not compile",
      "call the function by the name that the documentation gives it", FindMisspeltIntrinsics);
  add("missing_semicolon",
      "the statement has no semicolon at its end, so the compiler reads the next line as a "
      "part of it",
      "end the statement with a semicolon", FindMissingSemicolons);
  add("unclosed_brace",
      "a block is opened and never closed, so the braces of the source do not balance",
      "add the closing brace", FindUnclosedBraces);
  add("wrong_include", "this header does not exist, so the preprocessor stops here",
      "include the header by its real path", FindWrongIncludes);
  add("untyped_pointer",
      "`data_ptr()` without an element type returns a `void*`, which C++ does not convert "
      "to the typed pointer that the kernel takes",
      "call `data_ptr` with the element type", FindUntypedPointers);
  add("tensor_for_pointer",
      "the launch passes a tensor object where the kernel takes a pointer to device memory",
      "pass the tensor's `data_ptr` with its element type", FindTensorsForPointers);
  add("wrong_pointer_type",
      "the element type of the pointer differs from that of the kernel's parameter, and "
      "C++ does not convert between pointer types",
      "request the pointer with the element type of the parameter", FindWrongPointerTypes);
  add("declaration_mismatch",
      "the declaration for the binding has other parameters than the definition, so the "
      "binding refers to a function that does not exist",
      "make the declaration equal to the definition", FindOtherDeclarations);
  add("missing_device_word",
      "the kernel calls a function that is not marked `__device__`; such a function exists "
      "only on the host",
      "mark the function `__device__`", FindMissingDeviceWords);
  add("read_only_output",
      "the output is a pointer to `const`, so the kernel may not store through it",
      "remove the `const` of the output", FindReadOnlyOutputs);
  add("missing_function", "the source calls a function that it does not define",
      "define the function before the code that calls it", FindMissingFunctions);
  add("array_of_runtime_size",
      "a static shared array needs a size that is known at compile time, and this size is "
      "a variable",
      "give the array a constant size, or declare it `extern` and pass its size at the "
      "launch",
      FindArraysOfRuntimeSize);
}

}  // namespace kernelmill
