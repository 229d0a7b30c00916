#include "manifests/signing_key.h"

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "manifests/commit_file.h"
#include "manifests/digest.h"

namespace kernelmill {
namespace {

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

// OpenSSL would ask the terminal for the passphrase of an encrypted key.
int NoPassphrase(char*, int, int, void*) { return -1; }

const std::uint8_t* BytesOf(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

// Why `pem` holds no key of the half that is asked for.
std::string WhyNoKey(const std::string& pem, bool secret) {
  if (pem.find("ENCRYPTED") != pem.npos) {
    return " is encrypted; give a key without a passphrase (openssl pkey -in KEY -out PLAIN)";
  }
  if (secret && pem.find("PUBLIC KEY-----") != pem.npos) {
    return " holds a public key, which cannot sign; give the private one";
  }
  if (!secret && pem.find("PRIVATE KEY-----") != pem.npos) {
    return " holds a private key; give the public one (openssl pkey -in KEY -pubout -out PUBLIC)";
  }
  return std::string(" holds no ") + (secret ? "private" : "public") +
         " key in PEM; openssl genpkey -algorithm ed25519 -out KEY makes a private one, and "
         "openssl pkey -in KEY -pubout -out PUBLIC its public one";
}

}  // namespace

void SigningKey::Free::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }

Result<SigningKey> SigningKey::Read(const std::string& path, bool secret) {
  KM_ASSIGN(std::string pem, ReadFile(path));
  const std::unique_ptr<BIO, FreeBio> bio(
      BIO_new_mem_buf(pem.data(), static_cast<int>(std::min<std::size_t>(pem.size(), 1 << 20))));
  SigningKey key(secret ? PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassphrase, nullptr)
                        : PEM_read_bio_PUBKEY(bio.get(), nullptr, NoPassphrase, nullptr));
  const std::string why = key.key_ == nullptr ? WhyNoKey(pem, secret) : "";
  OPENSSL_cleanse(pem.data(), pem.size());
  if (key.key_ == nullptr) return Status(ErrorCode::kUsage, path + why);
  if (EVP_PKEY_get_id(key.key_.get()) != EVP_PKEY_ED25519) {
    const char* const name = EVP_PKEY_get0_type_name(key.key_.get());
    return Status(ErrorCode::kUsage, path + " holds a key of the algorithm " +
                                         (name == nullptr ? "unknown" : name) +
                                         "; give one of ED25519 (openssl genpkey -algorithm "
                                         "ed25519 -out KEY)");
  }
  return key;
}

Result<SigningKey> SigningKey::ReadPrivate(const std::string& path) { return Read(path, true); }
Result<SigningKey> SigningKey::ReadPublic(const std::string& path) { return Read(path, false); }

std::string SigningKey::Id() const {
  std::uint8_t* der = nullptr;
  const int size = i2d_PUBKEY(key_.get(), &der);
  if (size <= 0) return "";
  const Digest digest =
      DigestOf({reinterpret_cast<const char*>(der), static_cast<std::size_t>(size)});
  OPENSSL_free(der);
  return digest.Hex();
}

Result<std::string> SigningKey::Sign(std::string_view bytes) const {
  const Context context(EVP_MD_CTX_new());
  std::string signature(64, '\0');
  std::size_t size = signature.size();
  if (EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) != 1 ||
      EVP_DigestSign(context.get(), reinterpret_cast<std::uint8_t*>(signature.data()), &size,
                     BytesOf(bytes), bytes.size()) != 1 ||
      size != signature.size()) {
    return Status(ErrorCode::kInternal, "OpenSSL could not sign with the key " + Id());
  }
  return signature;
}

bool SigningKey::Verifies(std::string_view bytes, std::string_view signature) const {
  const Context context(EVP_MD_CTX_new());
  return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1 &&
         EVP_DigestVerify(context.get(), BytesOf(signature), signature.size(), BytesOf(bytes),
                          bytes.size()) == 1;
}

}  // namespace kernelmill
