"""Describes small datasets in the documents of public standards: the libraries of the standards read
them, equal datasets have equal ones, and an audit finds whatever is changed in dataset, documents or
signature."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

os.environ["HF_HUB_OFFLINE"] = "1"

import huggingface_hub  # noqa: E402
from datasets.utils.metadata import MetadataConfigs  # noqa: E402

import small_dataset  # noqa: E402
from small_dataset import BINARY, ROOT, run  # noqa: E402

sys.path.insert(0, str(ROOT / "tests/e2e"))
import forger  # noqa: E402
import program  # noqa: E402

NETS, MORE = "https://example.org/nets", "https://example.org/more"
PUBLICATION = {"--url": "https://example.org/dataset", "--publisher": "Example Lab",
               "--built": "2026-11-27", "--published": "2026-11-28"}
SIGNED = "provenance.dsse.json"
MODULES = 3


def build(name, url):
    """Mines a repository with MODULES modules."""
    folder = scratch / f"{name}.source"
    folder.mkdir()
    small_dataset.MODULES, before = MODULES, small_dataset.MODULES
    small_dataset.build_repository(folder, remarks=[name])
    small_dataset.MODULES = before
    configuration = scratch / f"{name}.yaml"
    configuration.write_text(
        f"sources:\n  - git: {folder}/repository\n    url: {url}\n"
        "render: {validation_share: 0.3}\ndedup: {similarity: 0}\n"
        "answer: {limit: 1, variants: 1, sanitize: false, profile: false}\n", encoding="utf-8")
    run(BINARY, "sft", configuration, "--output", scratch / name, "--quiet", "--jobs", 1)
    return scratch / name


def make_key(name):
    private, public = scratch / f"{name}.pem", scratch / f"{name}.public.pem"
    run("openssl", "genpkey", "-algorithm", "ed25519", "-out", private)
    run("openssl", "pkey", "-in", private, "-pubout", "-out", public)
    return private, public


def export(dataset, output, *options, check=True, **changes):
    publication = PUBLICATION | {f"--{name}": value for name, value in changes.items()}
    given = [word for option, value in publication.items() if value is not None
             for word in (option, value)]
    return subprocess.run(
        [str(word) for word in (BINARY, "export", dataset, "--format", "standards", "--output",
                                output, *given, *options)],
        check=check, capture_output=True, text=True)


def setUpModule():
    global scratch, dataset, merged, key, public, other_key, other_public, documents
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="kernelmill-standards-"))
    unittest.addModuleCleanup(shutil.rmtree, scratch)
    dataset, more = build("nets", NETS), build("more", MORE)
    merged = scratch / "merged"
    run(BINARY, "merge", dataset, more, "--output", merged, "--quiet", "--jobs", 1)
    (key, public), (other_key, other_public) = make_key("key"), make_key("other")
    documents = scratch / "documents"
    export(dataset, documents, "--key", key)


def texts_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def files_of(folder):
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return {item["path"]: item["sha256"] for item in manifest["files"]}


def read_with_reference_tools(described, folder):
    script = ROOT / "tests/tools/standards/reference_tools.py"
    command = (program.validators(), "-B", script, folder, described, public)
    return subprocess.run([str(word) for word in command],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, "CROISSANT_CACHE": str(scratch / "croissant")})


class Documents(unittest.TestCase):
    def check(self, described, folder, sources):
        """What the reference tools read is what the dataset holds."""
        done = read_with_reference_tools(described, folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        rows = {}
        for path in (described / "data").glob("*.jsonl"):
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                rows[row["content_id"]] = [[m["role"], m["content"]] for m in row["messages"]]
        self.assertTrue(rows)
        croissant, spdx, provenance = found["croissant"], found["spdx"], found["provenance"]
        self.assertEqual(croissant["issues"], [])
        self.assertEqual(croissant["version"], "http://mlcommons.org/croissant/1.1")
        self.assertEqual(croissant["rows"], rows)
        self.assertEqual(croissant["licences"], ["https://spdx.org/licenses/MIT"])
        self.assertIn("No person has read the rows.", croissant["limitations"])
        self.assertTrue(croissant["biases"])

        self.assertEqual(spdx["missing"], [])
        self.assertEqual(spdx["profiles"], ["core", "dataset", "simpleLicensing", "software"])
        self.assertEqual(spdx["type"], "dataset_DatasetPackage")
        self.assertEqual(spdx["licences"], ["MIT"])
        self.assertEqual(spdx["sources"],
                         {url: [commit, ["MIT"]] for url, commit in sources.items()})
        self.assertEqual(spdx["required"], [
            "Example Lab", "2026-11-27 00:00:00+00:00", "2026-11-28 00:00:00+00:00",
            "https://example.org/dataset", "data"])
        self.assertEqual(spdx["size"], sum((described / path).stat().st_size
                                           for path in croissant["files"]))

        files = files_of(described)
        for tool in (croissant["files"], spdx["files"]):
            self.assertEqual({path: tool[path] for path in files}, files)
            self.assertEqual(set(tool) - set(files), {"manifest.json"})
        self.assertEqual(set(provenance["subjects"]) - set(files),
                         {"manifest.json", "croissant.json", "spdx.json"})
        for path, sha256 in provenance["subjects"].items():
            where = folder if path in ("croissant.json", "spdx.json") else described
            self.assertEqual(
                sha256, run("sha256sum", where / path).split()[0], path)
        self.assertEqual(provenance["type"], "application/vnd.in-toto+json")
        self.assertEqual(provenance["statement"].encode(), (folder / "provenance.json").read_bytes())
        for url, commit in sources.items():
            self.assertEqual(provenance["dependencies"][f"git+{url}@{commit}"],
                             {"gitCommit": commit})
        versions = json.loads((described / "manifest.json").read_text(encoding="utf-8"))["versions"]
        self.assertEqual(
            provenance["dependencies"][f"pkg:generic/kernelmill@{versions['kernelmill']}"],
            {"sha256": versions["program"]})

    def commit(self, name):
        return run("git", "-C", scratch / f"{name}.source/repository", "rev-parse", "HEAD").strip()

    def test_reference_tools_read_what_the_dataset_holds(self):
        self.check(dataset, documents, {NETS: self.commit("nets")})

    def test_reference_tools_read_a_merged_dataset(self):
        folder = scratch / "of_merged"
        export(merged, folder, "--key", key)
        self.check(merged, folder, {NETS: self.commit("nets"), MORE: self.commit("more")})

    def test_reference_tools_read_a_dataset_of_samples(self):
        """One sample of a model is trained: it repeats an answer of the dataset."""
        row = next(row for path in sorted((dataset / "data").glob("*.jsonl"))
                   for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())
                   if (row["family"], row["backend"]) == ("translate", "cuda"))
        sample = {"task": row["task_id"], "message": row["messages"][-1]["content"], "id": "a",
                  "attempt": 0, "finish_reason": "stop", "model": "toy 7B; \u00fc"}
        lines, configuration = scratch / "samples.jsonl", scratch / "rft.yaml"
        lines.write_text(json.dumps(sample) + "\n", encoding="utf-8")
        configuration.write_text(json.dumps(
            {"tasks": [{"dataset": str(dataset)}], "samples": [{"file": str(lines)}]}))
        samples, folder = scratch / "samples", scratch / "of_samples"
        run(BINARY, "rft", configuration, "--output", samples, "--quiet", "--jobs", 1)
        export(samples, folder, "--key", key)
        done = read_with_reference_tools(samples, folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(found["croissant"]["issues"], [])
        self.assertEqual(len(found["croissant"]["rows"]), 1)
        self.assertEqual(found["spdx"]["missing"], [])
        self.assertEqual({name: licences for name, (_, licences) in found["spdx"]["sources"].items()},
                         {NETS: ["MIT"], "toy 7B; \u00fc": []})
        self.assertIn("kernelmill:sampled;model=toy%207B%3B%20%C3%BC",
                      found["provenance"]["dependencies"])
        done = run(BINARY, "audit", samples, "--attestation", folder / SIGNED, "--key", public)
        self.assertIn("authentic;", done)

    def test_reference_tools_find_what_the_standards_forbid(self):
        folder = scratch / "wrong"
        for name, change in (
                ("spdx.json", ('"dataset_datasetType": ', '"dataset_datasetKind": ')),
                ("spdx.json", ("2026-11-27T00:00:00Z", "2026-11-27")),
                ("croissant.json", ('"sha256": "', '"sha": "')),
                ("croissant.json", ('"source": {', '"sources": {'))):
            with self.subTest(name=name, change=change):
                shutil.copytree(documents, folder)
                text = (folder / name).read_text(encoding="utf-8")
                self.assertIn(change[0], text)
                (folder / name).write_text(text.replace(*change), encoding="utf-8")
                self.assertNotEqual(read_with_reference_tools(dataset, folder).returncode, 0)
                shutil.rmtree(folder)

    def test_equal_datasets_have_equal_documents(self):
        expected = texts_of(documents)
        self.assertEqual(set(expected), {"croissant.json", "spdx.json", "provenance.json", SIGNED})
        copy, purged = scratch / "another/place", scratch / "purged"
        shutil.copytree(dataset, copy, ignore=shutil.ignore_patterns(".run"))
        run(BINARY, "purge", merged, "--repo", MORE, "--output", purged, "--quiet", "--jobs", 1)
        for number, again in enumerate((dataset, copy, purged)):
            folder = scratch / f"again{number}"
            export(again, folder, "--key", key)
            self.assertEqual(texts_of(folder), expected, again)
        self.assertNotIn(b"example.org/more", b"".join(expected.values()))

    def test_without_a_key_nothing_is_signed(self):
        folder = scratch / "unsigned"
        done = export(dataset, folder, "--json")
        names = ["croissant.json", "spdx.json", "provenance.json"]
        self.assertEqual(json.loads(done.stdout)["files"], names)
        self.assertEqual(texts_of(folder), {name: texts_of(documents)[name] for name in names})

    def test_the_hub_reads_the_card(self):
        card = huggingface_hub.DatasetCard.load(dataset / "README.md", ignore_metadata_errors=False)
        self.assertIsInstance(card.data, huggingface_hub.DatasetCardData)
        self.assertEqual(card.data.license, ["mit"])
        self.assertEqual(card.data.size_categories, ["n<1K"])
        self.assertEqual(card.data.task_categories, ["text-generation"])
        self.assertIn("kernelmill", card.data.tags)
        # It writes the metadata again as it has read them.
        again = huggingface_hub.DatasetCardData(**card.data.to_dict())
        self.assertEqual(again.to_dict(), card.data.to_dict())
        splits = MetadataConfigs.from_dataset_card_data(card.data)["default"]["data_files"]
        self.assertEqual({item["split"]: item["path"] for item in splits},
                         {split: f"data/{split}-*.parquet"
                          for split in {path.name.partition("-")[0]
                                        for path in (dataset / "data").glob("*.parquet")}})


class Refusals(unittest.TestCase):
    def refused(self, words, *options, described=None, output=None, code=2, **changes):
        done = export(described or dataset, output or scratch / "refused", *options, check=False,
                      **changes)
        self.assertEqual(done.returncode, code, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse((scratch / "refused").exists())

    def test_options_that_are_missing_or_malformed(self):
        for option in ("url", "publisher", "built", "published"):
            self.refused([f"--{option}", "no file of a dataset says it"], **{option: None})
        for day in ("2026-02-30", "2026-1-1", "28.11.2026", "2026-11-28T00:00:00Z", "+026-11-28"):
            self.refused(["--built", "2026-11-28", day], built=day)
        self.refused(["--published 2026-11-26 is before --built"], published="2026-11-26")
        for url in ("example.org/dataset", "https://", "https://example.org/#part", "ftp://x/y",
                    "https://example.org/a b"):
            self.refused(["--url", "https://example.org/dataset"], url=url)
        self.refused(["--publisher", "one printable line"], publisher="Example\nLab")

    def test_keys_that_cannot_sign(self):
        rsa, sealed, empty = (scratch / f"{name}.pem" for name in ("rsa", "sealed", "empty"))
        run("openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", rsa)
        run("openssl", "pkey", "-in", key, "-aes256", "-passout", "pass:word", "-out", sealed)
        empty.write_text("")
        for path, words in ((rsa, ["RSA", "ED25519"]), (sealed, ["encrypted"]),
                            (empty, ["no private key"]), (public, ["public key, which cannot sign"])):
            self.refused([str(path), *words], "--key", path)
        self.refused(["missing.pem"], "--key", scratch / "missing.pem")

    def test_places_that_are_taken(self):
        done = export(dataset, documents, check=False)
        self.assertIn("croissant.json exists already", done.stderr)
        self.refused(["lies in the dataset"], output=dataset / "documents")

    def test_options_of_other_formats(self):
        done = subprocess.run([BINARY, "export", dataset, "--format", "jsonl", "--output",
                               scratch / "refused", "--url", "https://example.org"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--url does not fit", done.stderr)
        self.refused(["--resample does not fit"], "--resample")

    def test_a_damaged_dataset(self):
        copy = scratch / "damaged"
        shutil.copytree(dataset, copy)
        with open(copy / "NOTICE", "a", encoding="utf-8") as file:
            file.write("more\n")
        self.refused(["is damaged", "NOTICE", "kernelmill audit"], described=copy, code=1)


def sign(payload, payload_type="application/vnd.in-toto+json", private=None):
    """An envelope, made by openssl."""
    encoded = (b"DSSEv1 %d %b %d %b" % (len(payload_type), payload_type.encode(), len(payload), payload))
    (scratch / "encoded").write_bytes(encoded)
    signature = subprocess.run(
        ["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", private or key, "-in",
         scratch / "encoded"], check=True, capture_output=True).stdout
    return {"payload": base64.b64encode(payload).decode(), "payloadType": payload_type,
            "signatures": [{"keyid": "", "sig": base64.b64encode(signature).decode()}]}


class Tampering(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=scratch))
        self.dataset, self.documents = self.folder / "dataset", self.folder / "documents"
        shutil.copytree(dataset, self.dataset)
        shutil.copytree(documents, self.documents)

    def audit(self, used_key=None, *options):
        return subprocess.run(
            [str(word) for word in (BINARY, "audit", self.dataset, "--attestation",
                                    self.documents / SIGNED, "--key", used_key or public, *options)],
            capture_output=True, text=True, check=False)

    def refused(self, *words, used_key=None):
        done = self.audit(used_key)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertNotIn("authentic;", done.stdout)
        for word in words:
            self.assertIn(word, done.stdout)

    def envelope(self):
        return json.loads((self.documents / SIGNED).read_text(encoding="utf-8"))

    def write(self, envelope):
        (self.documents / SIGNED).write_text(json.dumps(envelope), encoding="utf-8")

    def statement(self):
        return json.loads(base64.b64decode(self.envelope()["payload"]))

    def sign_again(self, statement, **options):
        self.write(sign(json.dumps(statement).encode(), **options))

    def replace(self, path, old, new):
        data = path.read_bytes()
        self.assertIn(old, data)
        path.write_bytes(data.replace(old, new, 1))

    def test_nothing_is_changed(self):
        done = self.audit()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("authentic;", done.stdout)
        report = json.loads(self.audit(None, "--json").stdout)
        self.assertEqual(report["verdict"], "authentic")
        self.assertEqual(report["signed_by"], self.envelope()["signatures"][0]["keyid"])
        # What another program has signed, in the other alphabet of base64 and other white space.
        again = sign(json.dumps(self.statement()).encode())
        again = {name: value.replace("+", "-").replace("/", "_") if name == "payload" else value
                 for name, value in again.items()}
        self.write(again)
        self.assertEqual(self.audit().returncode, 0)

    def test_a_byte_of_a_shard(self):
        path = self.dataset / "shards/records-00000.mdb"
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
        self.refused("shards/records-00000.mdb: its SHA-256 is",
                     f"{SIGNED}: the dataset is damaged, so its other statements could not be made")

    def test_a_licence_text(self):
        path, = (self.dataset / "LICENSES").iterdir()
        self.replace(path, b"MIT", b"BSD")
        self.refused(f"LICENSES/{path.name}")

    def test_a_licence_with_a_new_manifest(self):
        self.replace(self.dataset / "NOTICE", b"MIT", b"BSD")
        forger.cover_tracks(self.dataset)
        self.refused(f"{SIGNED}: its subject NOTICE has the SHA-256",
                     f"{SIGNED}: its subject manifest.json has the SHA-256")

    def test_a_root_with_a_new_manifest(self):
        forger.cover_tracks(self.dataset, merkle_root="0" * 64)
        self.refused("'merkle_root' says 0000", "its subject manifest.json has the SHA-256")

    def test_an_added_and_a_removed_file(self):
        (self.dataset / "data/more.jsonl").write_text("{}\n", encoding="utf-8")
        self.refused("data/more.jsonl: the manifest does not list it")
        forger.cover_tracks(self.dataset)
        self.refused(f"{SIGNED}: it has no subject data/more.jsonl, which is a file of the dataset")
        (self.dataset / "data/more.jsonl").unlink()
        (self.dataset / "report.html").unlink()
        forger.cover_tracks(self.dataset)
        self.refused(f"{SIGNED}: its subject report.html is no file of the dataset")

    def test_another_key(self):
        self.refused("no signature in it is right for the key", str(other_public),
                     used_key=other_public)
        self.sign_again(self.statement(), private=other_key)
        self.refused("no signature in it is right for the key", str(public))

    def test_a_cut_or_missing_signature(self):
        envelope = self.envelope()
        whole = envelope["signatures"][0]["sig"]
        for cut, word in ((whole[:-4], "no signature in it is right"),
                          (whole[:-3], "'sig' is not base64"), ("", "no signature in it is right")):
            envelope["signatures"][0]["sig"] = cut
            self.write(envelope)
            self.refused(word)
        envelope["signatures"] = []
        self.write(envelope)
        self.refused("it has no signature ('signatures')")

    def test_the_unsigned_statement_beside_it(self):
        path = self.documents / "provenance.json"
        path.write_text(path.read_text().replace("kernelmill", "kernelmall", 1))
        self.refused("it is not the statement that is signed")
        path.unlink()
        self.assertEqual(self.audit().returncode, 0)

    def test_swapped_subjects(self):
        statement = self.statement()
        first, second = statement["subject"][:2]
        first["digest"], second["digest"] = second["digest"], first["digest"]
        envelope = self.envelope()
        envelope["payload"] = base64.b64encode(json.dumps(statement).encode()).decode()
        self.write(envelope)
        self.refused("no signature in it is right")
        self.sign_again(statement)
        self.refused(f"its subject {first['name']} has the SHA-256 {first['digest']['sha256']}",
                     f"its subject {second['name']} has the SHA-256")

    def test_subjects_that_are_missing_or_not_there(self):
        statement = self.statement()
        gone = statement["subject"].pop(0)
        statement["subject"].append({"name": "../key.pem", "digest": {"sha256": "0" * 64}})
        self.sign_again(statement)
        self.refused(f"it has no subject {gone['name']}",
                     "its subject ../key.pem is no file of the dataset")
        del statement["subject"]
        self.sign_again(statement)
        self.refused("its statement has no list 'subject'")

    def test_another_payload_type(self):
        envelope = self.envelope()
        envelope["payloadType"] = "text/plain"
        self.write(envelope)
        self.refused("its payloadType is text/plain, not application/vnd.in-toto+json")
        self.sign_again(self.statement(), payload_type="application/json")
        self.refused("its payloadType is application/json")
        del envelope["payloadType"]
        self.write(envelope)
        self.refused("there is no text 'payloadType'")

    def test_another_type_of_statement(self):
        statement = self.statement()
        for name in ("_type", "predicateType"):
            self.sign_again(statement | {name: "https://example.org/v9"})
            self.refused(f"'{name}' of its statement is https://example.org/v9")
        self.write(sign(b"no JSON"))
        self.refused("its payload is no JSON")
        self.write({"payload": "*", **{k: v for k, v in self.envelope().items() if k != "payload"}})
        self.refused("'payload' is not base64")
        (self.documents / SIGNED).write_text("no envelope", encoding="utf-8")
        self.refused("it is no DSSE envelope")

    def test_a_licence_in_a_document(self):
        self.replace(self.documents / "spdx.json", b'"simplelicensing_licenseExpression": "MIT"',
                     b'"simplelicensing_licenseExpression": "ISC"')
        self.refused("its subject spdx.json has the SHA-256")
        (self.documents / "croissant.json").unlink()
        self.refused("its subject croissant.json is not beside it")

    def test_signed_statements_that_the_dataset_does_not_make(self):
        def definition(statement):
            return statement["predicate"]["buildDefinition"]

        for change, word in (
                (lambda s: definition(s)["resolvedDependencies"][0]["digest"].update(
                    gitCommit="0" * 40), "0" * 40),
                (lambda s: definition(s)["externalParameters"]["configuration"].update(seed=99), "99"),
                (lambda s: s["predicate"]["runDetails"]["builder"].update(id="urn:another"),
                 "urn:another"),
                (lambda s: s["predicate"].update(more="said"), "said"),
                (lambda s: next(item for item in s["subject"] if "annotations" in item)
                 ["annotations"].update(merkle_root="1" * 64), "1" * 20)):
            statement = self.statement()
            change(statement)
            self.sign_again(statement)
            self.refused(word, "but the dataset makes")
            self.documents.joinpath(SIGNED).write_bytes((documents / SIGNED).read_bytes())

    def test_the_provenance_of_another_dataset(self):
        shutil.rmtree(self.dataset)
        shutil.copytree(merged, self.dataset)
        self.refused("its subject manifest.json has the SHA-256", "its subject NOTICE has the SHA-256")

    def test_options_that_belong_together(self):
        for options, word in ((["--key", public], "--attestation"),
                              (["--attestation", self.documents / SIGNED], "--key")):
            done = subprocess.run([str(w) for w in (BINARY, "audit", self.dataset, *options)],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("needs " + word, done.stderr)
        done = self.audit(key)
        self.assertEqual(done.returncode, 2)
        self.assertIn("holds a private key; give the public one", done.stderr)


if __name__ == "__main__":
    unittest.main()
