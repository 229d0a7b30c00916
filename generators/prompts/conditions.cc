#include "generators/prompts/conditions.h"

#include <algorithm>

#include "generators/prompts/write_prompt.h"

namespace kernelmill {
namespace {

struct Clauses {
  SentenceVariants ask, calls, interface, forbid, agree, build, fixed, open, fast;
};

const Clauses& English() {
  static const Clauses kClauses = {
      .ask = {"Write {backend} kernels that replace the PyTorch operators in this module.",
              "Implement this PyTorch module with custom {backend} kernels.",
              "Please rewrite this module so that hand-written {backend} kernels do its "
              "computation.",
              "Optimize the architecture named `Model` with custom {backend} operators.",
              "Translate this PyTorch module to {backend}."},
      .calls = {"`forward` takes {inputs_line} and returns {outputs_line}.",
                "The inputs are {inputs_line}, and the output is {outputs_line}.",
                "With {inputs_line} as input, `forward` returns {outputs_line}."},
      .interface = {"name the new class `ModelNew` and keep the constructor and the `forward` "
                    "signature of `Model`",
                    "`ModelNew` must be a drop-in replacement for `Model`: same constructor "
                    "arguments, same `forward` signature",
                    "define `ModelNew` with the interface of `Model`, and create its parameters in "
                    "the same order, so that equal seeds give equal weights"},
      .forbid = {"`forward` must not call {operators} or any other PyTorch operator that computes; "
                 "PyTorch may only allocate tensors and create views",
                 "do not fall back to PyTorch for {operators}: your own kernels must do all the "
                 "computation",
                 "every computation must run in kernels that you write; PyTorch is only used to "
                 "allocate memory and to launch them"},
      .agree = {"the results must agree with those of `Model` {tolerance}",
                "the output of `ModelNew` must match the reference {tolerance}",
                "the outputs are compared with the reference and must be equal {tolerance}"},
      .build = {"compile the kernels with {loader_short}",
                "build the extension with {loader_short}"},
      .fixed = {"only these shapes are used, so you may hard-code the sizes",
                "the input shapes never change",
                "you may specialise the kernels for these input shapes"},
      .open = {"other input shapes are used too{open_sizes}, so read the sizes from the tensors",
               "the kernels must also work for other sizes{open_sizes}",
               "do not hard-code the shapes; they vary between calls{open_sizes}"},
      .fast = {"it should run faster than PyTorch in eager mode",
               "keep the number of kernel launches and the memory traffic low",
               "among correct answers, the fastest one is preferred"},
  };
  return kClauses;
}

const Clauses& Chinese() {
  static const Clauses kClauses = {
      .ask = {"请用 {backend} 核函数重写这个 PyTorch 模块。",
              "请编写 {backend} 核函数，替换这个模块中的 PyTorch 算子。",
              "请用自定义的 {backend} 算子优化名为 `Model` 的模块。"},
      .calls = {"`forward` 的输入为 {inputs_line}，输出为 {outputs_line}。",
                "输入是 {inputs_line}，`forward` 返回 {outputs_line}。"},
      .interface =
          {"新的类命名为 `ModelNew`，构造函数和 `forward` 的签名与 `Model` 相同",
           "`ModelNew` 要能直接替换 `Model`，接口保持不变",
           "定义 `ModelNew`，接口与 `Model` 一致，并按相同顺序创建参数，使相同的随机种子得到"
           "相同的权重"},
      .forbid = {"`forward` 中不得调用 {operators} 或其他执行计算的 PyTorch 算子，PyTorch "
                 "只能用来分配张量和创建视图",
                 "{operators} 必须由你编写的核函数计算，不得退回 PyTorch",
                 "所有计算都要在自己编写的核函数中完成，PyTorch 只用来分配内存和启动核函数"},
      .agree = {"结果要与 `Model` 一致，{tolerance}",
                "`ModelNew` 的输出与参考实现相比，{tolerance}"},
      .build = {"核函数用 {loader_short} 编译", "扩展用 {loader_short} 构建"},
      .fixed = {"只会使用这些形状，可以把尺寸写死", "输入形状固定不变",
                "可以针对这些输入形状做专门的优化"},
      .open = {"还会使用其他输入形状{open_sizes}，尺寸要从张量读取",
               "核函数也必须适用于其他尺寸{open_sizes}",
               "每次调用的形状可能不同{open_sizes}，不要写死尺寸"},
      .fast = {"运行速度应比 PyTorch 的 eager 模式更快", "请尽量减少核函数启动次数和访存量",
               "在结果正确的前提下，速度越快越好"},
  };
  return kClauses;
}

// Joins clauses: after a Chinese character or mark without a space, otherwise with one.
std::string Joined(const std::vector<std::string>& clauses, bool chinese, SentenceWriter* writer) {
  const std::string stop = chinese ? writer->Choose("[；|。]") : ". ";
  std::string text;
  for (const std::string& clause : clauses) {
    if (!text.empty()) text += stop;
    text += chinese ? clause : Capital(clause);
  }
  return text + (chinese ? "。" : ".");
}

// A list of the clauses; in Chinese a semicolon stands between items and a full stop at the end.
std::string Lines(const std::vector<std::string>& clauses, const std::string& head, bool chinese) {
  std::string text;
  int number = 0;
  for (const std::string& clause : clauses) {
    text += head.empty() ? std::to_string(++number) + ". " : head;
    const bool last = &clause == &clauses.back();
    text += (chinese ? clause : Capital(clause)) + (!chinese ? "." : last ? "。" : "；") + '\n';
  }
  return text;
}

}  // namespace

void AddConditions(const ConditionsAsked& asked, SentenceWriter* writer, PromptFacts* facts) {
  const bool chinese = asked.language == PromptLanguage::kChinese;
  const Clauses& clauses = chinese ? Chinese() : English();
  const auto fill = [&](const SentenceVariants& variants) {
    return FillTemplate(writer->Say(variants), *facts);
  };
  PromptFacts added = {{"ask", fill(clauses.ask)},
                       {"calls", fill(clauses.calls)},
                       {"interface", fill(clauses.interface)},
                       {"forbid", fill(clauses.forbid)},
                       {"agree", fill(clauses.agree)},
                       {"build", fill(clauses.build)},
                       {"contract", fill(asked.any_shape ? clauses.open : clauses.fixed)},
                       {"performance", asked.performance ? fill(clauses.fast) : ""}};
  if (asked.performance) {
    added["speed_line"] = (chinese ? "性能：" : "performance: ") + added["performance"];
    added["performance_sentence"] = Capital(added["performance"]) + (chinese ? "。" : ".");
  } else {
    added["speed_line"] = added["performance_sentence"] = "";
  }
  added["contract_sentence"] = Capital(added["contract"]) + (chinese ? "。" : ".");
  added["forbid_sentence"] = Capital(added["forbid"]) + (chinese ? "。" : ".");
  added["agree_sentence"] = Capital(added["agree"]) + (chinese ? "。" : ".");
  std::vector<std::string> all;
  for (const char* name : {"interface", "forbid", "agree", "contract", "performance"}) {
    if (!added[name].empty()) all.push_back(added[name]);
  }
  if (writer->OneIn(2)) all.push_back(added["build"]);
  writer->Shuffle(&all);
  added["conditions"] = Joined(all, chinese, writer);
  added["conditions_dashes"] = Lines(all, "- ", chinese);
  added["conditions_stars"] = Lines(all, "* ", chinese);
  added["conditions_boxes"] = Lines(all, "- [ ] ", chinese);
  added["conditions_numbers"] = Lines(all, "", chinese);
  facts->merge(added);
}

}  // namespace kernelmill
