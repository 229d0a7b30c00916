#include "generators/prompts/prompt_tables.h"

namespace kernelmill {
namespace {

constexpr PromptLanguage kChinese = PromptLanguage::kChinese;

const PromptTemplate kTemplates[] = {
    {.name = "analyze-plain",
     .text = R"([What limits|What bounds|What holds up] [these|the following] {backend} kernels, and how well do they use the machine?

{code}

[They implement|The module]:

{reference}

[It runs on|Inputs:] {inputs_line}.

{figures})"},
    {.name = "analyze-report",
     .text = R"(## Performance review

[Module|Reference]:

{reference}

[Arguments|Inputs]: {inputs_line}

[Native code|Kernels] ({backend}):

{code}

[Readings|Figures|Counters]:

{figures}

[Write the review|Review]: bound, arithmetic intensity, thread mapping, [use of registers, |]memory accesses.)"},
    {.name = "analyze-questions",
     .text = R"({code}

This is the device side of a {backend} [port|version] of the following module, called with {inputs_line}.

{reference}

{figures}

1. [How many bytes and FLOPs does it take, and is it memory or arithmetic that limits it|Bytes, FLOPs, bound]?
2. [Which thread computes what|The mapping of threads]?
3. [What do the readings say, as far as there are any|What follows from the readings]?)"},
    {.name = "analyze-colleague",
     .text = R"(A colleague wrote {kernels} for the module below and asks whether [it is worth tuning them|there is anything to gain]. What would you [tell them|say]?

{reference}

[Sizes|Inputs]: {inputs_line}.

{code}

{figures})"},
    {.name = "analyze-roofline",
     .text = R"([Place|Put] [this kernel code|{kernels}] on the roofline[ and explain the mapping of threads|, with the mapping of its threads].

{code}

Reference, with {inputs_line}:

{reference}

{figures})"},
    {.name = "analyze-notes",
     .text = R"([Profiling notes|Readings|Notes] for {kernels} ({backend}).

{figures}

[Code|Source]:

{code}

[What it computes, for|Computes, on] {inputs_line}:

{reference}

Interpret [the notes|them].)"},
    {.name = "analyze-brief",
     .text = R"({code}

{figures}

[Bound, mapping, accesses|Analyse {kernels}|Comment on {kernels}]. [Data|Inputs]: {inputs_line}.

{reference})"},
    {.name = "analyze-first-look",
     .text = R"([I am new to|I have to look after] {kernels}. [Explain|Tell me] how [the threads are used|work is divided] and [what the time goes into|what limits it].

{code}

[Background|It belongs to], {inputs_line}:

{reference}

{figures})"},
    {.name = "analyze-reference",
     .text = R"({reference}

[On|With] {inputs_line} this module runs as {kernels}:

{code}

{figures}

[Assess|Judge|Comment on] the [kernels|implementation]: [traffic|bytes], [mapping|threads], [readings|counters].)"},
    {.name = "analyze-capacity",
     .text = R"([Before we buy faster cards|For a capacity plan]: is [this|the] {backend} code [held up|bound] by memory or by arithmetic at {inputs_line}?

{code}

{figures}

{reference})"},
    {.name = "analyze-zh-plain",
     .language = kChinese,
     .text = R"(下面这些 {backend} 核函数的性能瓶颈在哪里？[对硬件的利用情况如何？|]

{code}

它们实现的模块（输入为 {inputs_line}）：

{reference}

{figures})"},
    {.name = "analyze-zh-report",
     .language = kChinese,
     .text = R"(## 性能分析

模块：

{reference}

输入：{inputs_line}

设备端代码（{backend}）：

{code}

[测得的数据|数据]：

{figures}

请写出分析：[受限于访存还是计算、|]算术强度、线程映射[、寄存器使用|]以及访存模式。)"},
    {.name = "analyze-zh-questions",
     .language = kChinese,
     .text = R"({code}

以上是下列模块的 {backend} 实现的设备端部分，[调用时的输入|输入]为 {inputs_line}。

{reference}

{figures}

请说明：（1）字节数、浮点运算次数以及瓶颈；（2）线程与元素的对应关系；（3）已有的数据说明了什么。)"},
    {.name = "analyze-zh-notes",
     .language = kChinese,
     .text = R"(请解读 {kernels}（{backend}）的性能数据。

{figures}

代码：

{code}

[对应的|]参考实现，输入为 {inputs_line}：

{reference})"},
    {.name = "analyze-zh-brief",
     .language = kChinese,
     .text = R"({code}

{figures}

{kernels} 受限于什么？线程如何对应元素？输入：{inputs_line}

{reference})"},
};

}  // namespace

void AddAnalyzePrompts(std::vector<PromptTemplate>* templates) {
  templates->insert(templates->end(), std::begin(kTemplates), std::end(kTemplates));
}

}  // namespace kernelmill
