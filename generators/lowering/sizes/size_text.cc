#include "generators/lowering/sizes/size_text.h"

#include <algorithm>
#include <cstdlib>

namespace kernelmill {
namespace {

// The largest size of a patch or window that is tried as a divisor.
constexpr std::int64_t kMaxDivisor = 256;
// Products of three factors are only tried among this many sizes.
constexpr std::size_t kNear = 8;
// With fewer samples, unrelated expressions would fit by chance.
constexpr std::size_t kSamplesForSteps = 3;

bool IsConstant(const SizeSamples& samples) {
  return std::all_of(samples.begin(), samples.end(),
                     [&](std::int64_t value) { return value == samples[0]; });
}

std::string Number(std::int64_t value) { return std::to_string(value); }

class Search {
 public:
  Search(std::span<const KnownSize> known, const SizeSamples& wanted) : wanted_(wanted) {
    for (const KnownSize& size : known) {
      const bool positive =
          std::all_of(size.at.begin(), size.at.end(), [](std::int64_t value) { return value > 0; });
      const bool seen = std::any_of(known_.begin(), known_.end(), [&](const KnownSize* other) {
        return other->at == size.at;
      });
      if (positive && !seen && !IsConstant(size.at)) known_.push_back(&size);
    }
  }

  std::optional<std::string> Run() {
    for (const KnownSize* size : known_) {
      if (size->at == wanted_) return size->text;
    }
    for (const KnownSize* size : known_) {
      if (Scaled(size->text, size->at)) return text_;
    }
    // Before products, because their quotients can round to a shifted size: n * m // (m + 1) is n -
    // 1 when n is smaller.
    for (const KnownSize* size : known_) {
      if (Shifted(*size)) return text_;
    }
    for (const KnownSize* first : known_) {
      for (const KnownSize* second : known_) {
        if (first <= second && ProductOfTwo(*first, *second)) return text_;
      }
    }
    if (wanted_.size() < kSamplesForSteps) return std::nullopt;
    for (const KnownSize* size : known_) {
      if (InMultiples(*size)) return text_;
    }
    for (const KnownSize* first : known_) {
      for (const KnownSize* second : known_) {
        if (first != second && SumOrQuotient(*first, *second)) return text_;
      }
    }
    if (ProductOfThree()) return text_;
    return std::nullopt;
  }

 private:
  template <typename Value>
  bool Fits(Value value) const {
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      if (value(i) != wanted_[i]) return false;
    }
    return true;
  }
  bool Found(std::string text) {
    text_ = std::move(text);
    return true;
  }

  // A multiple or a fraction of the size.
  bool Scaled(const std::string& text, const SizeSamples& at) {
    const std::int64_t own = wanted_[0];
    if (own <= 0) return false;
    if (own % at[0] == 0) {
      const std::int64_t times = own / at[0];
      if (Fits([&](std::size_t i) { return at[i] * times; })) {
        return Found(times == 1 ? text : text + " * " + Number(times));
      }
    }
    const std::int64_t most = at[0] / own;
    for (std::int64_t part = at[0] / (own + 1) + 1; part <= most; ++part) {
      if (Fits([&](std::size_t i) { return at[i] / part; })) {
        return Found(text + " // " + Number(part));
      }
    }
    return false;
  }

  bool ProductOfTwo(const KnownSize& a, const KnownSize& b) {
    SizeSamples product;
    for (std::size_t i = 0; i < wanted_.size(); ++i) product.push_back(a.at[i] * b.at[i]);
    return Scaled(a.text + " * " + b.text, product);
  }

  bool Shifted(const KnownSize& size) {
    const std::int64_t more = wanted_[0] - size.at[0];
    if (!Fits([&](std::size_t i) { return size.at[i] + more; })) return false;
    return Found(size.text + (more > 0 ? " + " : " - ") + Number(std::abs(more)));
  }

  // The size rounded to multiples of a window or patch, or the remainder.
  bool InMultiples(const KnownSize& size) {
    for (std::int64_t step = 2; step <= kMaxDivisor; ++step) {
      const std::string by = Number(step);
      const auto down = [&](std::size_t i) { return size.at[i] / step; };
      const auto up = [&](std::size_t i) { return (size.at[i] + step - 1) / step; };
      const std::string all = "(" + size.text + " + " + Number(step - 1) + ") // " + by;
      if (Fits(up)) return Found(all);
      const std::int64_t times = down(0) > 0 ? wanted_[0] / down(0) : 0;
      if (times > 1 && Fits([&](std::size_t i) { return down(i) * times; })) {
        return Found(size.text + " // " + by + " * " + Number(times));
      }
      const std::int64_t covers = wanted_[0] / up(0);
      if (covers > 1 && Fits([&](std::size_t i) { return up(i) * covers; })) {
        return Found(all + " * " + Number(covers));
      }
      if (Fits([&](std::size_t i) { return size.at[i] % step; })) {
        return Found(size.text + " % " + by);
      }
      if (Fits([&](std::size_t i) { return (step - size.at[i] % step) % step; })) {
        return Found("(" + by + " - " + size.text + " % " + by + ") % " + by);
      }
    }
    return false;
  }

  // Sum, difference or quotient of two sizes, or the product of both in patches of the same size.
  bool SumOrQuotient(const KnownSize& a, const KnownSize& b) {
    if (Fits([&](std::size_t i) { return a.at[i] + b.at[i]; })) {
      return Found(a.text + " + " + b.text);
    }
    if (Fits([&](std::size_t i) { return a.at[i] - b.at[i]; })) {
      return Found(a.text + " - " + b.text);
    }
    if (Fits([&](std::size_t i) { return a.at[i] / b.at[i]; })) {
      return Found(a.text + " // " + b.text);
    }
    for (std::int64_t step = 2; step <= kMaxDivisor && &a < &b; ++step) {
      if (Fits([&](std::size_t i) { return (a.at[i] / step) * (b.at[i] / step); })) {
        const std::string by = " // " + Number(step);
        return Found("(" + a.text + by + ") * (" + b.text + by + ")");
      }
    }
    return false;
  }

  bool ProductOfThree() {
    const std::size_t count = std::min(known_.size(), kNear);
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = a; b < count; ++b) {
        for (std::size_t c = b; c < count; ++c) {
          SizeSamples product;
          for (std::size_t i = 0; i < wanted_.size(); ++i) {
            product.push_back(known_[a]->at[i] * known_[b]->at[i] * known_[c]->at[i]);
          }
          const std::string text =
              known_[a]->text + " * " + known_[b]->text + " * " + known_[c]->text;
          if (Scaled(text, product)) return true;
        }
      }
    }
    return false;
  }

  const SizeSamples& wanted_;
  std::vector<const KnownSize*> known_;
  std::string text_;
};

}  // namespace

std::optional<std::string> SizeText(std::span<const KnownSize> known, const SizeSamples& wanted) {
  if (wanted.empty()) return std::nullopt;
  if (IsConstant(wanted)) return Number(wanted[0]);
  return Search(known, wanted).Run();
}

}  // namespace kernelmill
