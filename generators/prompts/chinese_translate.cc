#include "generators/prompts/prompt_tables.h"

namespace kernelmill {
namespace {

constexpr PromptLanguage kChinese = PromptLanguage::kChinese;

const PromptTemplate kTemplates[] = {
    {.name = "translate-zh-plain",
     .language = kChinese,
     .text =
         R"(请用 {backend} 实现下面的 PyTorch 模块：定义一个类 `ModelNew`，构造函数和 `forward` 的签名与 `Model` 相同，计算全部由你自己编写的核函数完成。

{reference}

`forward` 的输入为 {inputs_line}，输出为 {outputs_line}。{contract}

`forward` 中不得调用 {operators} 以及其他任何执行计算的 torch 算子；分配输出、取视图是允许的。与参考实现相比，{tolerance}。{performance}{answer_form})",
     .fixed_shapes = "这些尺寸不会改变。",
     .any_shape = "以上尺寸仅为示例{open_sizes}，核函数必须适用于其他尺寸。",
     .performance = "运行速度应当快于 eager 模式。"},

    {.name = "translate-zh-headings",
     .language = kChinese,
     .text = R"(## 任务

把模块 `Model` 改写为 `ModelNew`，用手写的 {backend} 核函数得到同样的结果。

## 参考代码

{reference}

## 数据

{inputs_list}

输出：{outputs_line}。{contract}

## 约束

- `forward` 里只能分配内存、取视图，其余工作都交给核函数；{operators} 一律不得出现。
- 用 {loader} 编译。
- 精度：{tolerance}。

## 回答

{performance}{answer_form})",
     .fixed_shapes = "只会用到上述形状。",
     .any_shape = "上述形状只是其中一例{open_sizes}，不要写死。",
     .performance = "在保证正确的前提下尽量提高吞吐量。"},

    {.name = "translate-zh-numbered",
     .language = kChinese,
     .text = R"({reference}

以上是参考实现。请给出它的 {backend} 版本，并满足以下条件：

1. 类名为 `ModelNew`，构造方式和调用方式与 `Model` 完全一致；
2. 参数的创建顺序不变，使得相同的随机种子得到相同的权重；
3. 设备端代码通过 {loader} 编译，所有运算都在核函数里完成，`forward` 不得直接或变相调用 {operators}；
4. 输入为 {inputs_line}；
5. {contract}
6. {tolerance}。

{performance}{answer_form})",
     .fixed_shapes = "不会传入其他形状；",
     .any_shape = "还会传入其他尺寸{open_sizes}；",
     .performance = "多个正确答案之中，以最快者为优。"},

    {.name = "translate-zh-brief",
     .language = kChinese,
     .text = R"({reference}

写一个 {backend} 版的 `ModelNew`。输入 {inputs_line}，{contract}只用自己的核函数，不用 torch 的 {operators}。{tolerance}。{performance}{answer_form})",
     .fixed_shapes = "尺寸固定。",
     .any_shape = "尺寸任意{open_sizes}。",
     .performance = "要快。"},

    {.name = "translate-zh-table",
     .language = kChinese,
     .text = R"(目标平台：{backend}；入口：`ModelNew`。

{inputs_table}

使用这些张量的模块：

{reference}

对 `ModelNew` 的要求：

* {tolerance}；
* 以自己的核函数代替 {operators}；
* `__init__` 的参数以及模块参数与 `Model` 一致；
* {contract}

{performance}{answer_form})",
     .fixed_shapes = "只需支持表中的尺寸。",
     .any_shape = "不能只支持表中的尺寸，任意合法尺寸都要正确{open_sizes}。",
     .performance = "请尽量减少访存。"},

    {.name = "translate-zh-engineer",
     .language = kChinese,
     .text =
         R"(你是一名 GPU 工程师，负责用手写的 {backend} 核函数替换框架算子。接下来要处理的模块是：

{reference}

它的输入：
{inputs_list}

交付之前请逐项确认：
- `ModelNew` 可以直接替换 `Model`；
- `forward` 中没有任何计算回退到 torch（{operators} 都由核函数完成）；
- 可能越界的线程都有边界判断；
- 能够处理非连续的输入；
- {tolerance}。

{contract}{performance}{answer_form})",
     .fixed_shapes = "形状已经确定。",
     .any_shape = "形状在运行时才能确定{open_sizes}。",
     .performance = "这里对延迟很敏感。"},

    {.name = "translate-zh-spec",
     .language = kChinese,
     .text = R"(后端：{backend}
类名：ModelNew
输入：{inputs_line}
输出：{outputs_line}
精度：{tolerance}
forward() 中禁用：{operators}
编译方式：{loader}
形状：{contract}

{reference}

{performance}{answer_form})",
     .fixed_shapes = "固定",
     .any_shape = "任意{open_sizes}",
     .performance = "目标：运行时间最短。"},

    {.name = "translate-zh-conversation",
     .language = kChinese,
     .text = R"(我正在把一个模型迁移到 {backend}，卡在其中一个模块上，它的 PyTorch 代码是这样的：

{reference}

调用时传入 {inputs_line}，得到 {outputs_line}。{contract}能不能帮我写一个可以直接换上去的 `ModelNew`？评审不接受仍然调用 {operators} 之类算子的代码，所以必须是真正的核函数，用 {loader} 加载。数值上要求{tolerance}。{performance}{answer_form})",
     .fixed_shapes = "尺寸一直都是这些。",
     .any_shape = "尺寸取决于请求{open_sizes}，所以请写得通用一些。",
     .performance = "它在关键路径上，速度很重要。"},

    {.name = "translate-zh-test",
     .language = kChinese,
     .text =
         R"(测试程序会用同一个随机种子构造 `Model` 和你写的 `ModelNew`，给两者传入相同的张量并比较结果；同时它会记录执行了哪些算子：`ModelNew.forward` 中不应出现 {operators}，也不应出现其他计算算子。

测试所用的参考实现：

{reference}

测试所用的张量：

{inputs_list}

{contract}比较标准：{tolerance}。

请用 {backend} 核函数编写 `ModelNew`，使测试通过。{performance}{answer_form})",
     .fixed_shapes = "测试只使用这些形状。",
     .any_shape = "测试还会抽取其他尺寸{open_sizes}。",
     .performance = "测试也会计时，请做到比参考实现更快。"},

    {.name = "translate-zh-three-parts",
     .language = kChinese,
     .text = R"(**已知**：一个 PyTorch 模块，调用时的输入是 {inputs_line}。

{reference}

**求**：替代它的 `ModelNew`，其 `forward` 运行你编写的 {backend} 核函数，返回 {outputs_line}；{tolerance}。{contract}

**以下情况视为不合格**：`forward` 中调用 {operators} 或其他计算算子；核函数读写越界；两个线程无序地写同一个元素；结果依赖于输入的内存布局。

{performance}{answer_form})",
     .fixed_shapes = "支持这些形状即可。",
     .any_shape = "凡是 `Model` 接受的尺寸都要支持{open_sizes}。",
     .performance = "**加分项**：启动次数少、访存合并、能留在寄存器里的中间结果不写回显存。"},

    {.name = "translate-zh-memo",
     .language = kChinese,
     .validation = true,
     .text = R"(发件人：模型组
收件人：核函数组

附件中的模块需要一个 {backend} 版本。目前它依次经过 {operators}，新的 `ModelNew` 不能再依赖这些算子。输入为 {inputs_line}。{contract}请保证{tolerance}。{performance}

附件：

{reference}

{answer_form})",
     .fixed_shapes = "我们不使用其他尺寸。",
     .any_shape = "不同客户的尺寸各不相同{open_sizes}。",
     .performance = "这一步的时间预算很紧。"},

    {.name = "translate-zh-question",
     .language = kChinese,
     .validation = true,
     .text = R"(如果要用自己编写的 {backend} 核函数实现下面这个模块，你会怎么写？

{reference}

假设输入是 {inputs_line}。{contract}类名请用 `ModelNew`，`forward` 中不要保留 {operators}，并且{tolerance}。{performance}{answer_form})",
     .fixed_shapes = "可以认为尺寸就是这些。",
     .any_shape = "不能假定尺寸就是这些{open_sizes}。",
     .performance = "怎样写才快？"},
};

}  // namespace

void AddChineseTranslatePrompts(std::vector<PromptTemplate>* templates) {
  templates->insert(templates->end(), std::begin(kTemplates), std::end(kTemplates));
}

}  // namespace kernelmill
