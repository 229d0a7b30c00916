#include "generators/prompts/prompt_tables.h"

namespace kernelmill {
namespace {

constexpr PromptLanguage kChinese = PromptLanguage::kChinese;

const PromptTemplate kTemplates[] = {
    {.name = "translate-zh-plain", .language = kChinese, .text = R"({ask}

{reference}

{calls}{conditions}{answer_form})"},

    {.name = "translate-zh-headings", .language = kChinese, .text = R"(## [任务|目标|要求]

{ask}

## [参考代码|参考实现|模块]

{reference}

## [数据|输入输出|张量]

{inputs_list}

[输出|结果]：{outputs_line}

## [约束|条件|规则]

{conditions_dashes}

{answer_form})"},

    {.name = "translate-zh-numbered", .language = kChinese, .text = R"({reference}

[以上是参考实现|以上为参考代码|参考实现如上]。[请给出|给出|写出]它的 {backend} 版本，[并满足以下条件|条件如下|满足]：

{conditions_numbers}

{calls}{answer_form})"},

    {.name = "translate-zh-brief", .language = kChinese, .text = R"({reference}

{ask}[输入|传入]：{inputs_line}。{conditions}{answer_form})"},

    {.name = "translate-zh-table",
     .language = kChinese,
     .text = R"([目标平台|后端|平台]：{backend}；[入口|类名]：`ModelNew`

{inputs_table}

[使用这些张量的模块|模块|用到它们的代码]：

{reference}

[要求|条件|须满足]：

{conditions_stars}

{answer_form})"},

    {.name = "translate-zh-engineer",
     .language = kChinese,
     .text = R"([你是一名 GPU 工程师，负责|你负责|作为 GPU 工程师，你要]用手写的 {backend} 核函数[替换|取代]框架算子。[接下来的模块|要处理的模块|模块]：

{reference}

[它的输入|输入]：
{inputs_list}

[交付之前请确认|请逐项确认|检查]：
{conditions_dashes}

{answer_form})"},

    {.name = "translate-zh-spec", .language = kChinese, .text = R"(后端：{backend}
[输入|传入]：{inputs_line}
[输出|返回]：{outputs_line}
[接口|类]：{interface}
[算子|计算]：{forbid}
[误差|比较|精度]：{tolerance}
[形状|尺寸]：{contract}
{speed_line}

{reference}

{answer_form})"},

    {.name = "translate-zh-conversation",
     .language = kChinese,
     .text = R"([我正在|我在|我们正在]把一个模型[迁移|移植]到 {backend}，[卡在这个模块上|遇到了这个模块|还剩这个模块]：

{reference}

{calls}[能不能|可否|请]帮我写一个可以[直接换上去|替换它]的 `ModelNew`[？|，谢谢。]{conditions}{answer_form})"},

    {.name = "translate-zh-test",
     .language = kChinese,
     .text = R"(测试[程序|]用[同一个|相同的]种子构造 `Model` 和 `ModelNew`，[传入|给两者]相同的张量并[比较|检查]结果[，同时记录执行了哪些算子|]。[参考实现|参考代码]：

{reference}

[张量|测试所用的张量]：

{inputs_list}

[通过的条件|测试要求]：

{conditions_dashes}

{ask}{answer_form})"},

    {.name = "translate-zh-three-parts",
     .language = kChinese,
     .text = R"(**[已知|给定]**：[一个 PyTorch 模块|模块如下]，输入[是|为]{inputs_line}。

{reference}

**[求|目标]**：{ask}

**[条件|要求|不满足则不合格]**：{conditions}

{answer_form})"},

    {.name = "translate-zh-dense", .language = kChinese, .text = R"({ask}{calls}{conditions}{answer_form}

{reference})"},

    {.name = "translate-zh-memo", .language = kChinese, .validation = true, .text = R"(发件人：模型组
收件人：核函数组

附件中的模块需要一个 {backend} 版本。目前它依次经过 {operators}，新的 `ModelNew` 不能再依赖这些算子。输入为 {inputs_line}。{conditions}

附件：

{reference}

{answer_form})"},

    {.name = "translate-zh-question",
     .language = kChinese,
     .validation = true,
     .text = R"(如果要用自己编写的 {backend} 核函数实现下面这个模块，你会怎么写？

{reference}

假设输入是 {inputs_line}，类名用 `ModelNew`。{conditions}{answer_form})"},
};

}  // namespace

void AddChineseTranslatePrompts(std::vector<PromptTemplate>* templates) {
  templates->insert(templates->end(), std::begin(kTemplates), std::end(kTemplates));
}

}  // namespace kernelmill
