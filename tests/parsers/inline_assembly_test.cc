#include "parsers/inline_assembly.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace kernelmill {
namespace {

TEST(InlineAssembly, OperandsBecomeArguments) {
  EXPECT_EQ(RewriteAssembly("asm volatile(\"a %0, %1;\" : \"=r\"(x) : \"r\"(f(y, z)), \"n\"(4) : "
                            "\"memory\");"),
            "KM_PTX((\"a %0, %1;\" ) , KM_PTX_OUT(\"=r\", (x))  , KM_PTX_IN(\"r\", (f(y, z))) , "
            "KM_PTX_IN(\"n\", (4)) );");
  EXPECT_EQ(RewriteAssembly("asm(\"b;\" \"c;\");"), "KM_PTX((\"b;\" \"c;\"));");
  EXPECT_EQ(RewriteAssembly("asm(\"b;\" :: \"r\"(a ? p::q : 1));"),
            "KM_PTX((\"b;\" ) , KM_PTX_IN(\"r\", (a ? p::q : 1)));");
  EXPECT_EQ(RewriteAssembly("__asm__ __volatile__(TEXT ::: \"memory\");"), "KM_PTX((TEXT ));");
}

TEST(InlineAssembly, LinesStay) {
  const std::string macro =
      "#define L(r, p) \\\n  asm volatile( \\\n  \"ld \" #p \\\n  : \"=r\"(r) \\\n  : \"l\"(p) "
      "\\\n  : \"memory\" \\\n )\n";
  for (const std::string& source :
       {macro, std::string("asm\nvolatile\n(\"a;\" // one\n:\n\"=r\"(x)\n:\n);\n")}) {
    const std::string text = RewriteAssembly(source);
    EXPECT_NE(text.find("KM_PTX(("), text.npos);
    EXPECT_EQ(std::count(source.begin(), source.end(), '\n'),
              std::count(text.begin(), text.end(), '\n'));
    EXPECT_EQ(std::count(source.begin(), source.end(), '\\'),
              std::count(text.begin(), text.end(), '\\'));
  }
}

TEST(InlineAssembly, OtherTextStays) {
  for (const std::string source :
       {"asm volatile(\"\" ::: \"memory\");", "// asm(\"a;\")\n", "\"asm(\"", "int asm_count = 1;",
        "asm(\"a;\"", "asm goto(\"a\" : : : : l);", "x.asm; 1asm(\"a\");", "asm", ""}) {
    EXPECT_EQ(RewriteAssembly(source), source);
  }
}

}  // namespace
}  // namespace kernelmill
