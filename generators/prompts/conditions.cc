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
      .ask = {"[Write|Give me|Provide|Produce] [a|an equivalent] {backend} [implementation|version|"
              "port] of [this module|the module below|the following module|`Model`].",
              "[Implement|Rewrite|Rebuild] [this module|`Model`|what follows|the code below] with "
              "[hand-written |your own |]{backend} kernels[ instead of {operators}|].",
              "[I need|We need|Wanted:|Looking for] {backend} kernels [for|behind|that replace] "
              "[this|the] [module|class|code|`forward`].",
              "[Turn|Convert|Translate] [this|the] [module|PyTorch code|`Model`] into [native|"
              "hand-written] {backend}.",
              "[Replace|Take over] {operators} [by|with] [native |hand-written |]{backend} kernels.",
              "[How does this look|What does this module become] in [native "
              "|hand-written |]{backend}?",
              "{backend} kernels for [{operators}|this module|`forward`], please."},
      .calls = {"`forward` [is called with|takes|gets|receives] {inputs_line} and [returns|gives|"
                "yields] {outputs_line}.",
                "[In|Input|Inputs|Arguments|Given]: {inputs_line}[. |; ][out|output|result|"
                "returned]: {outputs_line}.",
                "[Called with|With|From|For] {inputs_line} it [returns|gives|yields|makes] "
                "{outputs_line}.",
                "It [maps|turns] {inputs_line} [to|into] {outputs_line}.",
                "{inputs_line} [→|=>|in,] {outputs_line}[ out|].",
                "The [inputs are|call has|test passes] {inputs_line}[; the result is|, which makes|"
                ". Expected:] {outputs_line}."},
      .interface = {"the class is [called|named] `ModelNew`[ and [is constructed and called|built "
                    "and used] like `Model`|, with the constructor and `forward` of `Model`|]",
                    "[call|name] the [class|replacement|result] `ModelNew`[ and [keep|leave] [both "
                    "signatures|the interface|constructor and `forward`] as they are|]",
                    "`ModelNew` [takes the arguments|has the signatures|keeps the interface] of "
                    "`Model`[, in `__init__` and `forward`|]",
                    "`ModelNew` [can be dropped in|stands in|can be swapped in] for `Model`[ as it "
                    "is|][, weights from equal seeds included|]",
                    "[define|provide|write] `ModelNew`[, [to be built and called|used] like "
                    "`Model`|; parameters are created in the reference's order|]",
                    "`ModelNew` [creates|makes|has] [the same|`Model`'s] parameters[ in the same "
                    "order|][ and [takes|accepts] the same arguments|]"},
      .forbid = {"[no call of|none of|no] {operators}[, and no other torch operator that "
                 "computes,|, nor anything of torch that computes,|] [in|inside] `forward`",
                 "`forward` [must not|may not|shall not|does not] [call|use|fall back to] "
                 "{operators}[ or other torch [operators|functions] that compute|, nor their like|]",
                 "[compute|do] {operators} in [your own|hand-written] kernels[; torch [only|just] "
                 "allocates and views|, not in torch|]",
                 "[all arithmetic|every computation|the work] is done by kernels [that you "
                 "write|of your own]",
                 "torch may allocate and view[ and make contiguous|] in `forward`, [but not "
                 "compute|nothing more]",
                 "[not allowed|forbidden|off limits|rejected] in `forward`: {operators}[ and [the "
                 "like|other computing operators]|]",
                 "[no fallback to torch|torch does not compute]",
                 "`forward` [only|just] [allocates and launches|launches kernels]",
                 "[nothing|not one operator] is left to torch[ but memory|]",
                 "[operators of torch|torch functions] that compute [are not allowed|fail it]",
                 "kernels of your own [for|instead of] {operators}[, nothing of torch's|]"},
      .agree = {"[results|outputs|the numbers|values] [agree|match|have to agree] {tolerance}",
                "[outputs|results] [must|have to|should] [agree with|match|equal] [the "
                "reference|`Model`|PyTorch] {tolerance}",
                "[the result|what comes back] [equals|matches] [that of `Model`|the reference's] "
                "{tolerance}",
                "[asked for|needed|enough] is [agreement|a match] {tolerance}",
                "[tolerance|accuracy|agreement]: {tolerance}",
                "[compared|checked|tested] against [`Model`|the reference][: equal|, to agree|,] "
                "{tolerance}"},
      .build = {"[compile|build|load] [it|the kernels|the source] [through|with|by] {loader_short}",
                "{loader_short} [compiles|builds|loads] [the extension|the kernels|the source]",
                "the [kernels|sources] [go through|are given to|are built by] {loader_short}",
                "[build|loader|extension]: {loader_short}"},
      .fixed = {"[these|the] [sizes|shapes|extents] [are fixed|do not change|are final|are the only "
                "ones]",
                "[no other|only these|just these] [sizes|shapes] [occur|will come|are passed]",
                "[sizes|shapes] [may be assumed|can be taken] as [given|they are]",
                "[fixed|constant|static] [sizes|shapes|extents]",
                "you may [hard-code|rely on] [the|these] sizes"},
      .open = {"[other sizes|more shapes|further sizes] [come as well|have to work too|will be "
               "passed]{open_sizes}",
               "[sizes|shapes|extents] [vary|are open|are free|change from call to call]{open_sizes}",
               "[do not|never] [hard-code|bake in|assume] [a size|sizes|these shapes]{open_sizes}",
               "[take|read] [sizes|extents] from the tensors{open_sizes}",
               "[this|that] is one [case|size] of many{open_sizes}",
               "any size [that `Model` takes |]{open_sizes}"},
      .fast = {"[it should|make it] run faster than [eager|the eager module|torch's own operators]",
               "[among right answers|of two that are right] the faster one [wins|is preferred]",
               "[keep|hold] [memory traffic|the number of launches|accesses] low",
               "[speed|latency|throughput] [matters|counts] [here|too]",
               "[optimise|tune] it[, once it is right|]",
               "[goal|bonus]: [lowest run time|full memory bandwidth|few launches, coalesced "
               "accesses]"},
  };
  return kClauses;
}

const Clauses& Chinese() {
  static const Clauses kClauses = {
      .ask = {"请[用|使用] {backend} [实现|改写|重写][下面的|以下|这个][模块|PyTorch 模块|代码]。",
              "[请把|把|将][下面的模块|这个模块|`Model`][改写|移植|转换][为|成][手写的 |自己的 "
              "|]{backend} 核函数[版本|实现|]。",
              "[需要|我需要|求]一个 {backend} [版本|实现]：[模块如下|代码如下|替代下面的模块]。",
              "用[自己编写|手写]的 {backend} 核函数[代替|取代|完成] {operators}。",
              "[给出|写出|提供][下列模块|该模块|`Model`]的 {backend} [实现|版本|核函数]。",
              "[下面的模块|这个 `forward`|{operators}][如何|怎样]用 {backend} [核函数|手写代码]实现？"},
      .calls = {"`forward` 的输入[为|是]{inputs_line}，[输出|结果|返回][为|是]{outputs_line}。",
                "[输入|传入|给定]：{inputs_line}[；|。][输出|返回|结果]：{outputs_line}。",
                "[调用时|实际|测试时][传入|给出]{inputs_line}，[得到|返回]{outputs_line}。",
                "[由|从] {inputs_line} [得到|计算出|算出] {outputs_line}。",
                "{inputs_line} [→|=>] {outputs_line}。"},
      .interface = {"类名[为|是|用] `ModelNew`[，[构造方式和调用方式|接口|签名]与 `Model` "
                    "[相同|一致]|]",
                    "`ModelNew` [可以|要能][直接|]替换 `Model`[，相同的种子得到相同的权重|]",
                    "[定义|编写|给出] `ModelNew`[，`__init__` 和 `forward` 的[参数|签名]不变|]",
                    "`ModelNew` 的[参数|构造函数和 `forward`]与 `Model` [一致|相同]",
                    "[参数的创建顺序|构造函数]不变，类名 `ModelNew`"},
      .forbid = {"`forward` [中|里][不得|不能|不要][调用|使用|出现] {operators}[ 等任何计算算子|]",
                 "{operators} [都|一律|全部]由[自己编写的|手写的|你的]核函数[完成|计算]",
                 "[全部|所有][计算|运算][都|]在核函数[里|中]完成",
                 "torch [只能|只用来|仅可]分配[内存|输出]、取视图[，不得计算 {operators}|]",
                 "[禁用|不允许|不合格]：`forward` [中|里]的 {operators}",
                 "[不得|不要]退回 torch[ 计算|]", "`forward` 只[分配内存并|]启动核函数",
                 "torch 的计算算子[一律|都][不可用|禁用]",
                 "不[再|要]依赖 torch 的 {operators}"},
      .agree = {"{tolerance}", "[精度|误差|比较标准|要求]：{tolerance}",
                "与[参考实现|`Model`|原模块][相比|比较]，{tolerance}",
                "[结果|数值|输出]要求：{tolerance}"},
      .build = {"用 {loader_short} [编译|加载|构建]", "[编译|加载|构建]方式：{loader_short}",
                "[核函数|源代码|扩展]通过 {loader_short} [编译|加载]"},
      .fixed = {"[尺寸|形状|大小][固定|不变|不会改变]", "[只|仅][会|]用到[这些|上述][形状|尺寸]",
                "[形状|尺寸][已经|]确定", "不会传入其他[形状|尺寸]"},
      .open = {"[还会|也会]传入其他[尺寸|形状]{open_sizes}",
               "[尺寸|形状|大小][任意|不固定|可变]{open_sizes}",
               "[不要|不可]写死[尺寸|形状]{open_sizes}", "[尺寸|形状]从张量读取{open_sizes}",
               "[以上|这些][尺寸|形状][仅为|只是]示例{open_sizes}"},
      .fast = {"[要|应当|请做到]比 eager [模式|]更快", "[速度|延迟|吞吐量][也|]很重要",
               "[尽量|请][减少|降低]访存[次数|]", "正确[之外|的前提下]，越快越好"},
  };
  return kClauses;
}

// Joins clauses: after a Chinese character or mark without a space, otherwise with one.
std::string Joined(const std::vector<std::string>& clauses, bool chinese, SentenceWriter* writer) {
  const std::string stop = chinese ? writer->Choose("[；|，|。]") : ". ";
  std::string text;
  for (const std::string& clause : clauses) {
    if (!text.empty()) text += stop;
    text += chinese ? clause : Capital(clause);
  }
  return text + (chinese ? "。" : ".");
}

std::string Lines(const std::vector<std::string>& clauses, const std::string& head,
                  const std::string& end) {
  std::string text;
  int number = 0;
  for (const std::string& clause : clauses) {
    text += head.empty() ? std::to_string(++number) + ". " : head;
    text += clause + end + '\n';
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
    const std::string label =
        writer->Choose(chinese ? "[性能|目标|速度]：" : "[speed|goal|time]: ");
    added["speed_line"] = label + added["performance"];
    added["performance_sentence"] = Capital(added["performance"]) + (chinese ? "。" : ".");
  } else {
    added["speed_line"] = added["performance_sentence"] = "";
  }
  added["contract_sentence"] = Capital(added["contract"]) + (chinese ? "。" : ".");
  added["agree_sentence"] = Capital(added["agree"]) + (chinese ? "。" : ".");
  std::vector<std::string> all;
  for (const char* name : {"interface", "forbid", "agree", "contract", "performance"}) {
    if (!added[name].empty()) all.push_back(added[name]);
  }
  if (writer->OneIn(2)) all.push_back(added["build"]);
  writer->Shuffle(&all);
  added["conditions"] = Joined(all, chinese, writer);
  const std::string end = writer->Choose(chinese ? "[；||。]" : "[|;|.]");
  if (!chinese && writer->OneIn(2)) {
    std::transform(all.begin(), all.end(), all.begin(), Capital);
  }
  added["conditions_dashes"] = Lines(all, "- ", end);
  added["conditions_stars"] = Lines(all, "* ", end);
  added["conditions_boxes"] = Lines(all, "- [ ] ", end);
  added["conditions_numbers"] = Lines(all, "", end);
  facts->merge(added);
}

}  // namespace kernelmill
