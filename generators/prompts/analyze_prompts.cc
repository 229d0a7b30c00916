#include "generators/prompts/prompt_tables.h"

namespace kernelmill {
namespace {

constexpr PromptLanguage kChinese = PromptLanguage::kChinese;

const PromptTemplate kTemplates[] = {
    {.name = "analyze-plain",
     .text =
         R"(What limits the speed of these {backend} kernels on {gpu_with_peaks}, and how well do they use the device?

{code}

They implement this module, which is called with {inputs_line}:

{reference}

{figures_title}

{figures})"},

    {.name = "analyze-report", .text = R"(## Performance review

Device: {gpu_with_peaks}

The module:

{reference}

Inputs: {inputs_line}

The kernels ({backend}):

{code}

{figures_title}

{figures}

Write the review: what bounds the kernels, the arithmetic intensity, the thread mapping, the memory accesses, and what should change.)"},

    {.name = "analyze-questions", .text = R"({code}

These {backend} kernels implement the following module, which is called with {inputs_line}.

{reference}

{figures_title}

{figures}

1. How many bytes and FLOPs does a call take, and does memory or arithmetic limit it on {gpu_with_peaks}?
2. Which thread computes which element?
3. What do the figures say about the memory accesses?
4. What should be changed, if anything?)"},

    {.name = "analyze-colleague",
     .text =
         R"(A colleague wrote {kernels} for the module below and asks whether it is worth tuning them further for {gpu_with_peaks}. What is your advice?

{reference}

The inputs are {inputs_line}.

{code}

{figures_title}

{figures})"},

    {.name = "analyze-roofline",
     .text =
         R"(Place {kernels} on the roofline of {gpu_with_peaks}, and explain how threads are mapped to elements.

{code}

The kernels compute this module on {inputs_line}:

{reference}

{figures_title}

{figures})"},

    {.name = "analyze-notes", .text = R"(I compiled and ran these {backend} kernels:

{code}

{figures_title}

{figures}

They compute this module on {inputs_line}:

{reference}

What do the figures tell us, and what follows for {gpu_with_peaks}?)"},

    {.name = "analyze-first-look",
     .text =
         R"(I have to maintain {kernels}. Explain how the work is divided among threads and what limits the speed on {gpu_with_peaks}.

{code}

The kernels belong to this module, which is called with {inputs_line}:

{reference}

{figures_title}

{figures})"},

    {.name = "analyze-capacity",
     .text =
         R"(For a capacity plan: do these {backend} kernels depend on memory bandwidth or on arithmetic throughput? We run them on {gpu_with_peaks} with {inputs_line}.

{code}

{figures_title}

{figures}

They implement this module:

{reference})"},

    {.name = "analyze-zh-plain",
     .language = kChinese,
     .text =
         R"(下面这些 {backend} 核函数在 {gpu_with_peaks}上的性能瓶颈是什么？对硬件的利用情况如何？

{code}

它们实现的模块如下，输入为 {inputs_line}：

{reference}

{figures_title_zh}

{figures})"},

    {.name = "analyze-zh-report", .language = kChinese, .text = R"(## 性能分析

设备：{gpu_with_peaks}

模块：

{reference}

输入：{inputs_line}

核函数（{backend}）：

{code}

{figures_title_zh}

{figures}

请分析：受限于访存还是计算、算术强度、线程映射、访存模式，以及应该如何改进。)"},

    {.name = "analyze-zh-questions", .language = kChinese, .text = R"({code}

以上 {backend} 核函数实现了下面的模块，输入为 {inputs_line}。

{reference}

{figures_title_zh}

{figures}

请回答：（1）一次调用需要多少字节的访存和多少次浮点运算，在 {gpu_with_peaks}上瓶颈是什么；（2）线程与元素如何对应；（3）这些数据说明了什么；（4）应该如何改进。)"},
};

}  // namespace

void AddAnalyzePrompts(std::vector<PromptTemplate>* templates) {
  templates->insert(templates->end(), std::begin(kTemplates), std::end(kTemplates));
}

}  // namespace kernelmill
