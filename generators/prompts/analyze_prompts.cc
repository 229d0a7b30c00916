#include "generators/prompts/prompt_tables.h"

namespace kernelmill {
namespace {

constexpr PromptLanguage kChinese = PromptLanguage::kChinese;

const PromptTemplate kTemplates[] = {
    {.name = "analyze-plain",
     .text = R"(What limits these {backend} kernels, and how well do they use the machine?

{code}

They implement this module:

{reference}

It runs on {inputs_line}.

{figures})"},
    {.name = "analyze-report", .text = R"(## Performance review

Module:

{reference}

Arguments: {inputs_line}

Native code ({backend}):

{code}

Readings:

{figures}

Write the review: bound, arithmetic intensity, thread mapping, use of registers, memory accesses.)"},
    {.name = "analyze-questions", .text = R"({code}

This is the device side of a {backend} port of the following module, called with {inputs_line}.

{reference}

{figures}

1. How many bytes and FLOPs does it take, and is it memory or arithmetic that limits it?
2. Which thread computes what?
3. What do the readings say, as far as there are any?)"},
    {.name = "analyze-colleague",
     .text =
         R"(A colleague wrote {kernels} for the module below and asks whether it is worth tuning them. What would you tell them?

{reference}

Sizes: {inputs_line}.

{code}

{figures})"},
    {.name = "analyze-roofline",
     .text = R"(Place this kernel code on the roofline and explain its mapping of threads.

{code}

Reference, with {inputs_line}:

{reference}

{figures})"},
    {.name = "analyze-notes", .text = R"(Profiling notes for {kernels} ({backend}).

{figures}

Code:

{code}

What it computes, for {inputs_line}:

{reference}

Interpret the notes.)"},
    {.name = "analyze-zh-plain",
     .language = kChinese,
     .text = R"(下面这些 {backend} 核函数的性能瓶颈在哪里？对硬件的利用情况如何？请用英文回答。

{code}

它们实现的模块（输入为 {inputs_line}）：

{reference}

{figures})"},
    {.name = "analyze-zh-report", .language = kChinese, .text = R"(## 性能分析

模块：

{reference}

输入：{inputs_line}

设备端代码（{backend}）：

{code}

测得的数据：

{figures}

请用英文写出分析：受限于访存还是计算、算术强度、线程映射、寄存器使用以及访存模式。)"},
    {.name = "analyze-zh-questions", .language = kChinese, .text = R"({code}

以上是下列模块的 {backend} 实现的设备端部分，调用时的输入为 {inputs_line}。

{reference}

{figures}

请用英文说明：（1）字节数、浮点运算次数以及瓶颈；（2）线程与元素的对应关系；（3）已有的数据说明了什么。)"},
    {.name = "analyze-zh-notes",
     .language = kChinese,
     .text = R"(请用英文解读 {kernels}（{backend}）的性能数据。

{figures}

代码：

{code}

对应的参考实现，输入为 {inputs_line}：

{reference})"},
};

}  // namespace

void AddAnalyzePrompts(std::vector<PromptTemplate>* templates) {
  templates->insert(templates->end(), std::begin(kTemplates), std::end(kTemplates));
}

}  // namespace kernelmill
