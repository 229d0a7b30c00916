#include "corpora/endpoint/chat_url.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

TEST(ChatUrl, CompletesABase) {
  const std::pair<const char*, const char*> cases[] = {
      {"http://localhost:8000", "http://localhost:8000/v1/chat/completions"},
      {"http://localhost:8000/", "http://localhost:8000/v1/chat/completions"},
      {"https://api.example.org/v1", "https://api.example.org/v1/chat/completions"},
      {"https://api.example.org/v1/", "https://api.example.org/v1/chat/completions"},
      {"https://api.example.org/a/v2beta", "https://api.example.org/a/v2beta/chat/completions"},
      {"https://x.org/v1/chat/completions", "https://x.org/v1/chat/completions"},
      {"https://x.org/d/chat/completions?api-version=3",
       "https://x.org/d/chat/completions?api-version=3"},
      {"https://x.org/d?api-version=3", "https://x.org/d/chat/completions?api-version=3"},
      {"http://[::1]:80", "http://[::1]:80/v1/chat/completions"},
  };
  for (const auto& [endpoint, url] : cases) {
    const Result<ChatUrl> made = ChatUrl::Of(endpoint);
    ASSERT_TRUE(made.ok()) << endpoint << ": " << made.status().message();
    EXPECT_EQ(made->url, url);
  }
}

TEST(ChatUrl, KnowsWhatCrossesANetworkUnencrypted) {
  for (const char* hidden : {"https://x.org", "http://localhost", "http://127.0.0.1:1",
                             "http://127.8.0.1", "http://[::1]"}) {
    EXPECT_FALSE(ChatUrl::Of(hidden)->is_open) << hidden;
  }
  for (const char* open :
       {"http://x.org", "http://10.0.0.1", "http://localhost.x.org", "http://127.0.0.1.x.org"}) {
    EXPECT_TRUE(ChatUrl::Of(open)->is_open) << open;
  }
}

TEST(ChatUrl, RefusesWhatIsNoEndpoint) {
  for (const char* bad : {"", "localhost:8000", "ftp://x.org", "file:///etc/passwd", "https://",
                          "http://x.org:port", "https://x.org/a b", "https://x.org/v1#part"}) {
    EXPECT_EQ(ChatUrl::Of(bad).status().code(), ErrorCode::kUsage) << bad;
  }
  for (const char* secret : {"https://me:hidden@x.org/v1", "https://hidden@x.org"}) {
    const Status refused = ChatUrl::Of(secret).status();
    EXPECT_EQ(refused.code(), ErrorCode::kUsage);
    EXPECT_EQ(refused.message().find("hidden"), std::string::npos) << refused.message();
  }
}

}  // namespace
}  // namespace kernelmill
