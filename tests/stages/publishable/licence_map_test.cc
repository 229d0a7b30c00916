#include "stages/publishable/licence_map.h"

#include <gtest/gtest.h>

#include "tests/corpora/git_fixture.h"

namespace kernelmill {
namespace {

TEST(LicenceMap, TheStrongestEvidenceWins) {
  const LicenceMap map(
      {LicenceFile::Read("LICENSE", "b1", kMitLicence),
       LicenceFile::Read("sub/COPYING", "b2",
                         "Redistribution and use in source and binary forms, with "
                         "or without\n * modification"),
       LicenceFile::Read("pyproject.toml", "b3", "[project]\nlicense = \"ISC\"\n")});
  EXPECT_EQ(map.Of("a.py", "x", ""),
            (LicenceEvidence{"MIT", LicenceLevel::kNearestFile, "LICENSE", "b1"}));
  EXPECT_EQ(map.Of("sub/deep/a.py", "x", "").spdx, "BSD-2-Clause");
  EXPECT_EQ(map.Of("sub/a.py", "x", "Apache-2.0"),
            (LicenceEvidence{"Apache-2.0", LicenceLevel::kFileHeader, "sub/a.py", "x"}));
}

TEST(LicenceMap, AWheelKeepsItsLicenceInItsDistInfo) {
  for (const auto& [path, text] :
       {std::pair<std::string, std::string>{"p-1.0.dist-info/licenses/LICENSE", kMitLicence},
        {"p-1.0.dist-info/LICENSE", kMitLicence},
        {"p-1.0.dist-info/METADATA",
         "Metadata-Version: 2.4\nLicense-Expression: MIT\n\nLicense: x"},
        {"p-1.0.dist-info/METADATA", "Name: p\nLicense: MIT License\n"},
        {"p-1.0.dist-info/METADATA", "Classifier: License :: OSI Approved :: MIT License\r\n"}}) {
    const LicenceEvidence found =
        LicenceMap({LicenceFile::Read(path, "b", text)}).Of("p/a/b.py", "x", "");
    EXPECT_EQ(found.spdx, "MIT") << text;
    EXPECT_EQ(found.level, LicenceLevel::kPackageMetadata);
  }
}

TEST(LicenceMap, EvidenceThatOnlyNamesALicenceSaysWhereItsTextIs) {
  const std::string apache = "Apache License\nVersion 2.0, January 2004\n";
  const LicenceMap map({LicenceFile::Read("LICENSE", "b1", kMitLicence),
                        LicenceFile::Read("sub/LICENSE.apache", "b2", apache),
                        LicenceFile::Read("p-1.dist-info/METADATA", "b3", "License: ISC\n"),
                        LicenceFile::Read("q/q-1.dist-info/METADATA", "b4", "License: MIT\n"),
                        LicenceFile::Read("q/q-1.dist-info/LICENSE", "b5", kMitLicence)});
  // The nearest text of one of the licences that the header names, if there is one.
  EXPECT_EQ(map.Of("sub/a.py", "x", "Apache-2.0 OR MIT").TextBlob(), "b2");
  EXPECT_EQ(map.Of("sub/a.py", "x", "MIT").TextBlob(), "b1");
  EXPECT_EQ(map.Of("sub/a.py", "x", "ISC").TextBlob(), "");
  // Evidence that is the text.
  EXPECT_EQ(map.Of("a.py", "x", "").TextBlob(), "b1");
  EXPECT_EQ(LicenceMap({LicenceFile::Read("q-1.dist-info/LICENSE", "b5", kMitLicence)})
                .Of("q/a.py", "x", "")
                .TextBlob(),
            "b5");
  // Wheels side by side have a text each.
  const LicenceMap wheels({LicenceFile::Read("p-1.dist-info/LICENSE", "b1", kMitLicence),
                           LicenceFile::Read("a-1.dist-info/METADATA", "b2", "License: MIT\n")});
  EXPECT_EQ(wheels.Of("a/a.py", "x", "").TextBlob(), "");
}

TEST(LicenceMap, NothingIsSaidWhereNobodySpeaks) {
  EXPECT_EQ(LicenceMap({}).Of("a.py", "x", "").level, LicenceLevel::kNone);
  const LicenceMap other({LicenceFile::Read("sub/LICENSE", "b", kMitLicence)});
  EXPECT_EQ(other.Of("a.py", "x", "").level, LicenceLevel::kNone);
  const LicenceMap unknown({LicenceFile::Read("LICENSE", "b", "All rights reserved.")});
  EXPECT_EQ(unknown.Of("a.py", "x", "").spdx, "NOASSERTION");
}

TEST(LicenceAllowed, FollowsTheExpression) {
  const std::vector<std::string> allowed = {"MIT", "Apache-2.0"};
  for (const char* met :
       {"MIT", "MIT OR GPL-3.0-only", "GPL-2.0-only OR MIT", "MIT AND Apache-2.0", "(MIT)",
        "(GPL-3.0-only OR MIT) AND Apache-2.0", "Apache-2.0 WITH LLVM-exception"}) {
    EXPECT_TRUE(LicenceAllowed(met, allowed)) << met;
  }
  for (const char* unmet : {"", "GPL-3.0-only", "MIT AND GPL-3.0-only", "mit", "(MIT", "MIT)",
                            "MIT OR", "OR MIT", "MIT MIT", "MIT WITH", "NOASSERTION", "()"}) {
    EXPECT_FALSE(LicenceAllowed(unmet, allowed)) << unmet;
  }
  const auto chosen = [&](const char* expression) { return ChosenLicences(expression, allowed); };
  EXPECT_EQ(chosen("GPL-2.0-only OR MIT"), "MIT");
  EXPECT_EQ(chosen("Apache-2.0 OR MIT"), "Apache-2.0");
  EXPECT_EQ(chosen("MIT AND Apache-2.0"), "MIT AND Apache-2.0");
  EXPECT_EQ(chosen("(GPL-3.0-only OR MIT) AND Apache-2.0 WITH LLVM-exception"),
            "MIT AND Apache-2.0 WITH LLVM-exception");
  EXPECT_EQ(chosen("MIT AND GPL-3.0-only"), std::nullopt);
  // Evidence says which licences were chosen where there was a choice.
  const auto evidence = [&](const char* expression) {
    return AllowedEvidence({expression, LicenceLevel::kFileHeader, "a.py", "x"}, allowed);
  };
  EXPECT_EQ(evidence("GPL-2.0-only OR MIT")->chosen, "MIT");
  EXPECT_EQ(evidence("MIT AND Apache-2.0")->chosen, "");
  EXPECT_EQ(evidence("MIT AND GPL-2.0-only"), std::nullopt);
  // An expression has a form, whatever its identifiers name.
  for (const char* formed : {"NOASSERTION", "LicenseRef-mine", "mit", "GPL-2.0+",
                             "(MIT OR Apache-2.0 WITH LLVM-exception) AND X"}) {
    EXPECT_TRUE(IsLicenceExpression(formed)) << formed;
  }
  for (const char* malformed : {"", "not a licence!!", "MIT!", "MIT MIT", "MIT OR", "(MIT", "AND",
                                "MIT AND OR MIT", "MIT\nGPL"}) {
    EXPECT_FALSE(IsLicenceExpression(malformed)) << malformed;
  }
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "(";
  EXPECT_FALSE(LicenceAllowed(deep + "MIT", allowed));
}

}  // namespace
}  // namespace kernelmill
