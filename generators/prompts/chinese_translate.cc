#include "generators/prompts/prompt_tables.h"

namespace kernelmill {
namespace {

constexpr PromptLanguage kChinese = PromptLanguage::kChinese;

const PromptTemplate kTemplates[] = {
    {.name = "translate-zh-plain", .language = kChinese, .text = R"({ask}

{reference}

{calls}{conditions}{answer_form})"},

    {.name = "translate-zh-target", .language = kChinese, .text = R"({ask}目标硬件为 {gpu}。

{reference}

{calls}{conditions}{answer_form})"},

    {.name = "translate-zh-headings", .language = kChinese, .text = R"(## 任务

{ask}

## 参考实现

{reference}

## 输入和输出

{inputs_list}

输出：{outputs_line}

## 要求

{conditions_dashes}

{answer_form})"},

    {.name = "translate-zh-numbered", .language = kChinese, .text = R"({reference}

以上是参考实现。请给出它的 {backend} 版本，并满足以下条件：

{conditions_numbers}

{calls}{answer_form})"},

    {.name = "translate-zh-brief", .language = kChinese, .text = R"({reference}

{ask}输入为 {inputs_line}。{conditions}{answer_form})"},

    {.name = "translate-zh-table",
     .language = kChinese,
     .text = R"(下面的 PyTorch 模块要改用 {backend} 核函数，运行在 {gpu} 上。

{reference}

它的输入如下：

{inputs_table}

要求：

{conditions_stars}

{answer_form})"},

    {.name = "translate-zh-conversation",
     .language = kChinese,
     .text = R"(我正在把一个模型移植到 {backend}，其中有这样一个模块：

{reference}

{calls}能不能帮我写一个可以直接替换它的 `ModelNew`？{conditions}{answer_form})"},

    {.name = "translate-zh-test",
     .language = kChinese,
     .text =
         R"(测试程序用相同的随机种子构造 `Model` 和 `ModelNew`，传入相同的张量，比较两者的输出，并记录 `ModelNew` 调用了哪些 PyTorch 算子。参考实现如下：

{reference}

测试所用的输入：

{inputs_list}

通过测试的条件：

{conditions_dashes}

{ask}{answer_form})"},

    {.name = "translate-zh-memo",
     .language = kChinese,
     .validation = true,
     .text = R"(下面的模块目前依次调用 {operators}，我们希望在推理服务中使用它的 {backend} 实现。

{reference}

输入为 {inputs_line}。{conditions}{answer_form})"},

    {.name = "translate-zh-question",
     .language = kChinese,
     .validation = true,
     .text = R"(如果要用自己编写的 {backend} 核函数实现下面的模块，应该怎么写？

{reference}

输入为 {inputs_line}，新的类命名为 `ModelNew`。{conditions}{answer_form})"},
};

}  // namespace

void AddChineseTranslatePrompts(std::vector<PromptTemplate>* templates) {
  templates->insert(templates->end(), std::begin(kTemplates), std::end(kTemplates));
}

}  // namespace kernelmill
