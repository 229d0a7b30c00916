#include "generators/prompts/prompt_tables.h"

namespace kernelmill {
namespace {

constexpr PromptLanguage kChinese = PromptLanguage::kChinese;

const PromptTemplate kPort[] = {
    {.name = "port-plain",
     .text = R"([Port|Carry|Bring] this {from} program [over |]to {backend}.

{code}

[It stands for|It replaces|It computes] [the module|this]

{reference}

[and has to keep doing so on|and is called with|with] {inputs_line}; {agree}. [`ModelNew` keeps its name and its interface.|The class stays `ModelNew`.] {answer_form})"},
    {.name = "port-headings",
     .text = R"(## From {from} to {backend}

### [Program|Code|Source]

{code}

### [What it computes|Reference|Meaning]

{reference}

### [Conditions|Rules]

- {build}
- [same kernels|the kernels stay], class `ModelNew`
- {agree}
- [nothing of {operators} moves back to torch|{operators} remain in kernels]

{answer_form})"},
    {.name = "port-brief",
     .text = R"({code}

[The same|This|The whole] for {backend}, please: `ModelNew`, built with {loader}. {answer_form})"},
    {.name = "port-list",
     .text = R"([We run|This runs] on {from} [today|now] and on {backend} [tomorrow|next]. [Carry this over|Port it|Convert it]:

{code}

1. [Kernels keep their algorithm|No other algorithm].
2. [Host code uses the streams, guards and checks of {backend}|Streams, guards and checks are {backend}'s].
3. {build}.
4. `ModelNew`: {agree}.

{reference}

{answer_form})"},
    {.name = "port-question",
     .text = R"([What has to change|What changes] in the following {from} extension to run on {backend} hardware? [Give|Show] the changed program with its `ModelNew`.

{code}

{answer_form})"},
    {.name = "port-reference",
     .text = R"({reference}

[This module|It] has [kernels|an implementation] for {from}:

{code}

[Write|Give|Derive] the one for {backend}[, `ModelNew` again|; keep `ModelNew`|]. {agree_sentence} {answer_form})"},
    {.name = "port-ticket",
     .text = R"(**{backend} support for [{operators}|this extension]**

[At present there is|We have] only {from}:

{code}

[Called with|Inputs:] {inputs_line}. [Wanted|Needed]: `ModelNew` on {backend}, {build}. {answer_form})"},
    {.name = "port-diff",
     .text = R"([Same|Keep the] kernels, other platform: {from} → {backend}.

{code}

[`ModelNew` must still match|What `ModelNew` stands for]:

{reference}

{answer_form})"},
    {.name = "port-user",
     .text = R"([I have|Here is] a {from} build of [a module|`ModelNew`] and [a machine|cards] with {backend}. [Can you convert it?|How would it look there?|Please adapt it.]

{code}

[Inputs|It gets|Data]: {inputs_line}. {answer_form})"},
    {.name = "port-spec",
     .text = R"(from: {from}
to: {backend}
build: {loader}
class: ModelNew
match: {tolerance}

{code}

{reference}

{answer_form})"},
    {.name = "port-zh-plain",
     .language = kChinese,
     .text = R"(请把下面的 {from} [程序|代码]移植到 {backend}，[保留类名 `ModelNew` 及其接口|类名仍为 `ModelNew`]。

{code}

[它实现的模块|对应的模块]：

{reference}

输入为 {inputs_line}；{agree}。{answer_form})"},
    {.name = "port-zh-list",
     .language = kChinese,
     .text = R"({code}

以上代码面向 {from}，[现在需要|现要]在 {backend} 上运行：

1. 核函数的算法不变；
2. 主机端改用 {backend} 的流、设备守卫和错误检查；
3. {build}；
4. `ModelNew`：{agree}。

{reference}

{answer_form})"},
    {.name = "port-zh-brief",
     .language = kChinese,
     .text = R"(把这段 {from} 代码[改写|移植]为 {backend} 版本（`ModelNew`，用 {loader} 编译）。{answer_form}

{code})"},
    {.name = "port-zh-question",
     .language = kChinese,
     .text = R"([下面|以下]的 {from} 扩展[要|若要]在 {backend} 上运行，[需要改哪些地方|应如何修改]？请给出[修改后的|完整的]程序（`ModelNew`）。

{code}

{answer_form})"},
    {.name = "port-zh-reference",
     .language = kChinese,
     .text = R"({reference}

[该模块|它]已有 {from} 实现：

{code}

请[写出|给出] {backend} 版本的 `ModelNew`，{build}。{answer_form})"},
};

const PromptTemplate kOptimize[] = {
    {.name = "optimize-plain",
     .text = R"(This {backend} program is [right|correct], but it can do better.

{code}

It computes

{reference}

on {inputs_line}. [When it ran, these were counted|Counted|Counters of a run]:

{figures}

[Rewrite it so that memory is used better|Bring the counts down|Use memory better]; [`ModelNew` still has to agree|agreement stays] {tolerance}. {answer_form})"},
    {.name = "optimize-review",
     .text = R"(## [Optimise|Improve|Tune]

{figures}

### [Present code|Code|Before] ({backend})

{code}

### [Reference|Meaning]

{reference}

`ModelNew` should need [fewer accesses|less] for the same result, {tolerance}. {answer_form})"},
    {.name = "optimize-brief",
     .text = R"({code}

{figures}

[Make `ModelNew` cheaper|Less of that|Lower these numbers]. [Same results|The results stay], still {backend}, none of {operators} from torch. {answer_form})"},
    {.name = "optimize-ticket",
     .text = R"(**[Too much traffic|High counts|Slow memory] in `ModelNew`**

[Inputs|Called with]: {inputs_line}. [Counted|In one run|A run shows]:

{figures}

{code}

[Goal|Wanted]: [strictly better counts at equal work|fewer of them], agreement {tolerance} with

{reference}

{answer_form})"},
    {.name = "optimize-question",
     .text = R"([Where does this lose|What is wasteful in this code], and [how would you write it instead|what is better]?

{code}

[Counters|A run counted]:

{figures}

`ModelNew` [stays|keeps its interface]; {backend}. {answer_form})"},
    {.name = "optimize-figures",
     .text = R"([Measured|Counted] [on|with] {inputs_line}:

{figures}

[by|from] this {backend} code

{code}

[for the module|which implements]

{reference}

[Find a version|Write a `ModelNew`] with [lower|better] [numbers|counts]. {answer_form})"},
    {.name = "optimize-reference",
     .text = R"({reference}

[Implemented|Done] in {backend} like this:

{code}

{figures}

[Do better|A better `ModelNew`, please|Improve it]. {agree_sentence} {answer_form})"},
    {.name = "optimize-mentor",
     .text = R"([My|Our] first {backend} version [works|passes all tests]. [What would an expert change|How do I get it to use less]?

{code}

{figures}

[Please send|Show me] the [changed|better] `ModelNew`. {answer_form})"},
    {.name = "optimize-spec",
     .text = R"(backend: {backend}
keep: ModelNew, {tolerance}
lower: [sectors, requests, conflicts, launches|the counts]

{figures}

{code}

{answer_form})"},
    {.name = "optimize-budget",
     .text = R"([The budget for|What we allow] {operators} on {inputs_line} is [exceeded|less than this]:

{figures}

{code}

[Find the waste|Cut it down] and [rewrite|give the new] `ModelNew`. {answer_form})"},
    {.name = "optimize-zh-plain",
     .language = kChinese,
     .text = R"(下面的 {backend} 程序结果正确，但仍[有优化空间|可改进]。

{code}

它实现的模块（输入为 {inputs_line}）：

{reference}

[运行时的计数|计数]：

{figures}

请改写 `ModelNew`，减少访存开销，结果保持不变：{tolerance}。{answer_form})"},
    {.name = "optimize-zh-brief",
     .language = kChinese,
     .text = R"({code}

{figures}

在结果不变的前提下，[降低|减少] `ModelNew` 的开销（{backend}，不得改用 torch 的 {operators}）。{answer_form})"},
    {.name = "optimize-zh-question",
     .language = kChinese,
     .text = R"([这段|下面的] {backend} 代码[浪费在哪里|哪里可以改进]？请[给出|写出]更好的 `ModelNew`。

{code}

{figures}

{answer_form})"},
    {.name = "optimize-zh-ticket",
     .language = kChinese,
     .text = R"(**`ModelNew` 访存过多**

输入：{inputs_line}

{figures}

{code}

目标：[各项计数下降|减少上述开销]，{tolerance}。

{reference}

{answer_form})"},
};

}  // namespace

void AddPortPrompts(std::vector<PromptTemplate>* templates) {
  templates->insert(templates->end(), std::begin(kPort), std::end(kPort));
}

void AddOptimizePrompts(std::vector<PromptTemplate>* templates) {
  templates->insert(templates->end(), std::begin(kOptimize), std::end(kOptimize));
}

}  // namespace kernelmill
