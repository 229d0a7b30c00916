#include "generators/prompts/prompt_tables.h"

namespace kernelmill {
namespace {

constexpr PromptLanguage kChinese = PromptLanguage::kChinese;

const PromptTemplate kTemplates[] = {
    {.name = "review-zh-plain",
     .language = kChinese,
     .text = R"([下面是|这里有]一个 PyTorch 模块和它的 {backend} [实现|版本]。[实现是否正确？|正确吗？][如果不正确，|若有错误，|不对的话，]请用英文[指出哪一行有问题、原因是什么，并给出修改|说明行号、原因和修改]。

{reference}

{candidate})"},
    {.name = "review-zh-checklist",
     .language = kChinese,
     .text = R"(请检查[下面|以下]的 {backend} 代码：[能否编译、接口、|]边界、索引、共享内存和同步[是否正确|]，计算是否与参考实现相同[，以及 {operators} 是否由核函数完成|]。

[参考实现|参考]：

{reference}

[待检查的代码|代码]：

{candidate}

[请先给出结论，再用英文说明出错的行、原因和最小的修改|结论在前，然后用英文说明行号、原因、修改][；没有错误也请说明|]。)"},
    {.name = "review-zh-brief",
     .language = kChinese,
     .text = R"({reference}

{candidate}

[这个 {backend} 版本对吗|第二段代码正确吗|两者结果相同吗|`ModelNew` 有错吗]？[请用英文回答|用英文写出]：结论、行号、原因、修改。)"},
    {.name = "review-zh-merge",
     .language = kChinese,
     .text = R"([可以合并吗|这段代码能合并吗|可以上线吗]？它要[替换|代替]后面的模块，输入为 {inputs_line}。[请用英文回答|用英文说明]。

{candidate}

{reference})"},
    {.name = "review-zh-report",
     .language = kChinese,
     .text = R"([有人反映|用户报告] {operators} 的 {backend} 实现[有问题|结果不对]。[是否属实|真的吗]？请用英文指出[行号和原因|是哪一行]。

{reference}

{candidate})"},
    {.name = "review-zh-colleague",
     .language = kChinese,
     .validation = true,
     .text = R"(同事用 {backend} 重写了下面的模块，请你在合并之前审阅。

{reference}

他的代码：

{candidate}

输入为 {inputs_line}。请用英文写出审阅意见。)"},
};

}  // namespace

void AddChineseReviewPrompts(std::vector<PromptTemplate>* templates) {
  templates->insert(templates->end(), std::begin(kTemplates), std::end(kTemplates));
}

}  // namespace kernelmill
