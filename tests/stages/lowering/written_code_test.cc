// What holds for the text of every kernel and host function that the lowering writes, in every
// variant: an expert would strike out what these tests look for.
#include <regex>

#include "generators/perturbation/answer_trees.h"
#include "tests/stages/lowering/all_cases.h"

namespace kernelmill {
namespace {

// Calls `check` for every answer to every case, on CUDA: other backends differ in names.
template <typename Check>
void ForEachAnswer(const std::vector<LoweringCase>& cases, const Check& check) {
  std::size_t answers = 0;
  for (const LoweringCase& item : cases) {
    const BuiltCase built(item);
    for (const LoweredAnswer& answer :
         LowerInVariants(built.builder.graph(), built.module, kCudaBackend, kManyAnswers)) {
      SCOPED_TRACE(item.name + ", " + answer.Structure());
      check(built, answer);
      ++answers;
    }
  }
  EXPECT_GE(answers, cases.size());
}

template <typename Check>
void ForEachTree(const Check& check, const std::vector<LoweringCase>& cases = AllLoweringCases()) {
  ForEachAnswer(cases, [&](const BuiltCase& built, const LoweredAnswer& answer) {
    const auto trees = AnswerTrees::Parse(answer.text, built.reference);
    ASSERT_NE(trees, nullptr) << answer.text;
    ASSERT_FALSE(trees->functions().empty());
    check(*trees);
  });
}

std::size_t MentionsOf(const SyntaxNode& root, std::string_view name) {
  std::size_t count = 0;
  for (const char* const kind : {"identifier", "field_identifier", "type_identifier"}) {
    for (const SyntaxNode& node : NodesOf(root, kind)) count += node.Text() == name;
  }
  return count;
}

TEST(WrittenCode, EveryDeviceFunctionIsCalled) {
  ForEachTree([](const AnswerTrees& trees) {
    std::map<std::string_view, std::size_t> definitions;
    for (const CudaFunction& function : trees.functions()) {
      if (function.kind == CudaFunction::Kind::kDevice) ++definitions[function.name];
    }
    for (const auto& [name, count] : definitions) {
      EXPECT_GT(MentionsOf(trees.cuda(), name), count) << name << trees.cuda().Text();
    }
  });
}

TEST(WrittenCode, OnlyDeviceCodeAsksForItsBlock) {
  ForEachTree([](const AnswerTrees& trees) {
    for (const CudaFunction& function : trees.functions()) {
      if (function.kind != CudaFunction::Kind::kHost) continue;
      for (const char* const name : {"gridDim", "blockDim", "blockIdx", "threadIdx"}) {
        EXPECT_EQ(MentionsOf(function.body, name), 0U) << name << " in " << function.name << '\n'
                                                       << trees.cuda().Text();
      }
    }
  });
}

TEST(WrittenCode, EveryParameterAndVariableIsRead) {
  // Statements that check or copy a tensor do not need it.
  static const std::regex kAside(R"((\w+) = \1\.contiguous\(\);|\w+\.numel\(\) <= limit)");
  ForEachTree([](const AnswerTrees& trees) {
    for (const CudaFunction& function : trees.functions()) {
      const std::string body =
          std::regex_replace(std::string(function.body.Text()), kAside, std::string());
      std::map<std::string, int> uses;
      static const std::regex kName(R"(\b[A-Za-z_]\w*)");
      for (std::sregex_iterator at(body.begin(), body.end(), kName), end; at != end; ++at) {
        ++uses[at->str()];
      }
      for (const CudaVariable& variable : VariablesOf(function)) {
        const std::string name(variable.name);
        if (name == "guard" || name == "limit") continue;  // The guard works by its lifetime.
        EXPECT_GT(uses[name], variable.parameter ? 0 : 1) << name << " of " << function.name << '\n'
                                                          << trees.cuda().Text();
      }
    }
  });
}

// int times unsigned is unsigned, as without the conversion.
TEST(WrittenCode, NoProductIsConvertedInVain) {
  ForEachAnswer(AllLoweringCases(), [](const BuiltCase&, const LoweredAnswer& answer) {
    EXPECT_EQ(answer.text.find("static_cast<int>(blockIdx"), std::string::npos) << answer.text;
    EXPECT_EQ(answer.text.find("static_cast<int>(gridDim"), std::string::npos) << answer.text;
  });
}

// What asks for an order names every position `at`.
TEST(WrittenCode, NoVariableOnlyRenamesAnother) {
  std::vector<LoweringCase> cases;
  for (const auto& some : {ElementwiseCases(), RowCases(), ContractionCases(), ElementCases(),
                           ComposedCases(), PermutedCases(), ScatterCases()}) {
    cases.insert(cases.end(), some.begin(), some.end());
  }
  ForEachTree(
      [](const AnswerTrees& trees) {
        for (const CudaFunction& function : trees.functions()) {
          if (!function.OnDevice()) continue;
          for (const CudaVariable& variable : VariablesOf(function)) {
            if (variable.parameter || !variable.constant || !variable.IsInteger()) continue;
            EXPECT_FALSE(variable.initial.Is("identifier")) << variable.declaration.Text() << '\n'
                                                            << function.node.Text();
          }
        }
      },
      cases);
}

TEST(WrittenCode, NoLoopRunsOnce) {
  // The taps of a filter, as kx; a tile of a thread may have one row.
  static const std::regex kOnce(R"(for \(int (k\w*) = 0; \1 < 1; \+\+\1\))");
  ForEachAnswer(AllLoweringCases(), [](const BuiltCase&, const LoweredAnswer& answer) {
    EXPECT_FALSE(std::regex_search(answer.text, kOnce)) << answer.text;
  });
}

TEST(WrittenCode, NothingIsDividedByOne) {
  static const std::regex kByOne(R"([%/] 1(?![\w.]))");
  ForEachAnswer(AllLoweringCases(), [](const BuiltCase&, const LoweredAnswer& answer) {
    EXPECT_FALSE(std::regex_search(answer.text, kByOne)) << answer.text;
  });
}

template <std::int64_t kLength>
void SumOfRows(GraphBuilder* b) {
  const ValueId x = b->Input({b->Size("batch_size", 50), b->Size("features", kLength)});
  b->Outputs({b->Apply("sum", {x}, {{"dim", Ints({1})}})});
}

// Where a smaller block exists, at least half of the threads have elements of the row.
TEST(WrittenCode, BlocksFitTheLengthOfRows) {
  const std::pair<std::int64_t, LoweringCase> cases[] = {
      {5, {"5", SumOfRows<5>}},       {30, {"30", SumOfRows<30>}},
      {64, {"64", SumOfRows<64>}},    {100, {"100", SumOfRows<100>}},
      {128, {"128", SumOfRows<128>}}, {129, {"129", SumOfRows<129>}},
      {400, {"400", SumOfRows<400>}}};
  std::set<int> sizes;
  for (const auto& [length, item] : cases) {
    ForEachAnswer({item}, [&](const BuiltCase&, const LoweredAnswer& answer) {
      const CallPlan& plan = answer.calls[0];
      const bool of_block =
          plan.strategy.starts_with("block_a_row") || plan.strategy == "tree_a_row";
      if (of_block) {
        sizes.insert(plan.threads);
        EXPECT_TRUE(plan.threads <= 32 || plan.threads <= 2 * length) << plan.threads;
        EXPECT_GT(length, 8);
      }
      if (plan.strategy.starts_with("warp_a_row")) EXPECT_GT(length, 8);
    });
  }
  EXPECT_EQ(sizes, (std::set<int>{32, 64, 128, 256}));
}

template <std::int64_t kColumns>
void ProductOfFewColumns(GraphBuilder* b) {
  const auto inner = b->Size("inner", 256);
  const ValueId x = b->Input({b->Size("rows", 1152), inner});
  b->Outputs({b->Apply("matmul", {x, b->Input({inner, b->Size("columns", kColumns)})})});
}

// Of a register tile, at least half lies inside of a result with few columns.
TEST(WrittenCode, TilesFitFewColumns) {
  const std::pair<int, LoweringCase> cases[] = {{8, {"8", ProductOfFewColumns<8>}},
                                                {16, {"16", ProductOfFewColumns<16>}},
                                                {32, {"32", ProductOfFewColumns<32>}}};
  static const std::regex kTile(R"(a block computes a \d+ x (\d+) tile of the result, each)");
  for (const auto& [columns, item] : cases) {
    int tiles = 0;
    ForEachAnswer({item}, [&](const BuiltCase&, const LoweredAnswer& answer) {
      const std::string text = std::regex_replace(answer.text, std::regex("\n// "), " ");
      std::smatch tile;
      if (!std::regex_search(text, tile, kTile)) return;
      ++tiles;
      EXPECT_LE(std::stoi(tile[1]), 2 * columns);
    });
    EXPECT_EQ(tiles, 1);
  }
}

// Neighbouring threads merge neighbouring columns, so the parts of a column lie a row of parts
// apart.
TEST(WrittenCode, PartsOfColumnsAreReadSideBySide) {
  int seen = 0;
  ForEachAnswer(RowCases(), [&](const BuiltCase&, const LoweredAnswer& answer) {
    if (answer.calls[0].strategy != "blocks_a_column") return;
    ++seen;
    static const std::regex kRead(R"(merge\(parts\[i \* \w+ \+ row\]\))");
    EXPECT_TRUE(std::regex_search(answer.text, kRead)) << answer.text;
  });
  EXPECT_GT(seen, 0);
}

// A tensor whose dimensions are permuted in memory is read through its strides, with neighbouring
// threads along its innermost dimension, and is not copied first.
TEST(WrittenCode, PermutedTensorsAreNotCopied) {
  int seen = 0;
  ForEachAnswer(PermutedCases(), [&](const BuiltCase&, const LoweredAnswer& answer) {
    ++seen;
    EXPECT_EQ(answer.text.find("x = x.contiguous()"), std::string::npos) << answer.text;
    EXPECT_NE(answer.text.find("x_stride0"), std::string::npos) << answer.text;
    for (const CallPlan& plan : answer.calls) {
      if (plan.strategy != "grid_stride" && plan.strategy != "one_thread_an_element") continue;
      EXPECT_NE(answer.text.find("auto out = torch::empty_like(x);"), std::string::npos)
          << answer.text;
      EXPECT_NE(answer.text.find("line = i % rows;"), std::string::npos) << answer.text;
    }
  });
  EXPECT_GT(seen, 5);
}

}  // namespace
}  // namespace kernelmill
