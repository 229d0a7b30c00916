#include "corpora/shards/shard_salvage.h"

#include "corpora/shards/lmdb_pages.h"
#include "corpora/shards/shard_layout.h"
#include "corpora/shards/zstd_codec.h"

namespace kernelmill {

Status SalvageShard(const std::string& path,
                    const std::function<void(std::string_view key,
                                             const std::optional<std::string>& value)>& visit) {
  KM_ASSIGN(LmdbPages pages, LmdbPages::Map(path));
  std::string dictionary;
  pages.Salvage([&](std::string_view key, std::string_view stored) {
    if (key == kDictionaryKey) dictionary = stored;
  });
  const ZstdDecompressor decompressor(dictionary);
  pages.Salvage([&](std::string_view key, std::string_view stored) {
    if (IsReservedKey(key)) return;
    std::optional<std::string> value(std::in_place);
    if (!decompressor.Decompress(stored, &*value).ok()) value.reset();
    visit(key, value);
  });
  return Status::Ok();
}

}  // namespace kernelmill
