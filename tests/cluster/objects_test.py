"""Uploads a dataset to an S3 server (object_server.py) and reads it there: whole, with requests that
fail, with the upload killed, and with bytes that are not those of the dataset. Two machines that share
no folder share outcomes through the same server."""

import json
import os
import pathlib
import random
import subprocess
import sys
import time
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import program  # noqa: E402

BUCKET, KEY_ID, SECRET = "bucket", "AKIDKERNELMILL", "geheim/secret+key"
KILLS = 4


def read_files(dataset):
    """{path: bytes} of the files of a dataset."""
    return {str(path.relative_to(dataset)): path.read_bytes()
            for path in sorted(dataset.rglob("*")) if path.is_file() and ".run" not in path.parts}


class Objects(program.EndToEnd):
    def setUp(self):
        super().setUp()
        server = pathlib.Path(__file__).with_name("object_server.py")
        self.server = subprocess.Popen(
            [program.validators(), "-B", server, BUCKET, KEY_ID, SECRET],
            stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.server.wait)
        self.addCleanup(self.server.kill)
        self.addCleanup(self.server.stdout.close)
        self.url = f"http://127.0.0.1:{int(self.server.stdout.readline())}"
        self.environment = {"AWS_ACCESS_KEY_ID": KEY_ID, "AWS_SECRET_ACCESS_KEY": SECRET,
                            "AWS_REGION": "eu-central-1", "AWS_ENDPOINT_URL": self.url,
                            "no_proxy": "127.0.0.1"}

    def build_generated(self, name, seed, **options):
        """Builds a dataset of three generated tasks."""
        configuration = self.configuration(name=name, seed=seed,
                                           generate={"count": 3, "levels": [1]})
        self.build(configuration, self.folder / name, **options)
        return self.folder / name

    def faults(self, *faults):
        request = urllib.request.Request(f"{self.url}/-/faults", json.dumps(faults).encode())
        urllib.request.urlopen(request).close()

    def requests(self, method, part):
        """The status of each request so far of a method whose path holds `part`."""
        with urllib.request.urlopen(f"{self.url}/-/log") as log:
            return [status for one, path, status in json.load(log) if one == method and part in path]

    def run_program(self, *words, code=program.DONE, **environment):
        done = program.run(*words, environment={**self.environment, **environment})
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertNotIn(SECRET, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_a_dataset_comes_back_as_it_was(self):
        dataset, address = self.build_generated("dataset", 7), f"s3://{BUCKET}/sets/a b+c"
        # Each of these requests fails first, in another way.
        self.faults({"method": "PUT", "name": "claim", "does": 409, "times": 1},
                    {"method": "PUT", "name": "parquet", "does": 503, "times": 2},
                    {"method": "PUT", "name": "shards", "does": "cut_after", "times": 1},
                    {"method": "PUT", "name": "README", "does": "cut_before", "times": 2},
                    {"method": "GET", "name": "parquet", "does": "cut_within", "times": 1})
        self.assertIn("files uploaded", self.run_program("upload", dataset, address))
        self.assertIn("is there already", self.run_program("upload", dataset, address))
        copy = self.folder / "copy"
        self.run_program("download", address, "--output", copy)
        self.assertEqual(read_files(copy), read_files(dataset))
        self.assertEqual(self.audit(copy), ("consistent", []))
        self.assertIn("consistent", self.run_program("audit", address))

        # Another dataset is refused, and nothing of it is written.
        other, puts = self.build_generated("other", 8), len(self.requests("PUT", ""))
        said = self.run_program("upload", other, address, code=program.WRONG_USE)
        self.assertIn(f"{address}/manifest.json: another dataset is there", said)
        self.assertEqual(len(self.requests("PUT", "")), puts)

        # Damage on the way is found and named.
        name = next(path for path in read_files(dataset) if path.endswith(".parquet"))
        self.faults({"method": "GET", "name": "parquet", "does": "damage", "times": 9})
        said = self.run_program("download", address, "--output", self.folder / "damaged",
                                code=program.NEGATIVE)
        self.assertIn(f"{address}/{name}", said)
        self.assertFalse((self.folder / "damaged/manifest.json").exists())

    def test_an_upload_that_is_killed_goes_on(self):
        dataset, address = self.build_generated("dataset", 7), f"s3://{BUCKET}/killed"
        chance = random.Random(KILLS)
        for _ in range(KILLS):
            upload = program.start("upload", dataset, address, "--jobs", 1,
                                   env={**os.environ, **self.environment})
            time.sleep(chance.uniform(0.02, 0.3))
            program.kill_group(upload)
            upload.wait()
            upload.stderr.close()
        if not any(status == 200 for status in self.requests("PUT", "killed/manifest.json")):
            said = self.run_program("download", address, "--output", self.folder / "early",
                                    code=program.WRONG_USE)
            self.assertIn("its upload has not ended", said)
        self.run_program("upload", dataset, address)
        self.run_program("download", address, "--output", self.folder / "copy")
        self.assertEqual(read_files(self.folder / "copy"), read_files(dataset))
        # Nothing was written twice.
        created = [status for status in self.requests("PUT", "/killed") if status == 200]
        self.assertEqual(len(created), len(read_files(dataset)) + 1)  # And the claim.

    def test_machines_without_a_common_folder_share_outcomes(self):
        store = f"s3://{BUCKET}/store"
        roots = []
        for one in ("first", "second"):
            environment = {**self.environment, "KERNELMILL_STORE": store,
                           "KERNELMILL_ROOT": str(program.separate_root(self.folder / f"{one}.root"))}
            configuration = self.configuration(name=one, seed=7, generate={"count": 3, "levels": [1]})
            done = program.run("sft", configuration, "--output", self.folder / one, "--quiet",
                               "--json", "--jobs", 1, environment=environment, outcomes=True)
            self.assertEqual(done.returncode, program.DONE, done.stderr)
            roots.append(json.loads(done.stdout)["merkle_root"])
            if one == "first":
                first, read = (self.requests(method, "/store/outcomes/").count(200)
                               for method in ("PUT", "GET"))
        self.assertEqual(roots[0], roots[1])
        self.assertGreater(first, 0)
        self.assertGreater(self.requests("GET", "/store/outcomes/").count(200), read)

        # A store that does not answer is no store without entries.
        self.faults({"method": "GET", "name": "store", "does": 403, "times": 10**6})
        done = program.run("sft", configuration, "--output", self.folder / "third", "--quiet",
                           "--jobs", 1, outcomes=True,
                           environment={**environment, "KERNELMILL_ROOT":
                                        str(program.separate_root(self.folder / "third.root"))})
        self.assertNotEqual(done.returncode, program.DONE)
        self.assertIn(store, done.stderr)

    def test_what_is_missing_is_named(self):
        dataset = self.folder
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            said = self.run_program("upload", dataset, f"s3://{BUCKET}/x", code=program.WRONG_USE,
                                    **{name: ""})
            self.assertIn(name, said)
        for address in ("s3://", f"s3://{BUCKET}/a/../b", "http://bucket/x"):
            self.run_program("upload", dataset, address, code=program.WRONG_USE)
        said = self.run_program("audit", f"s3://{BUCKET}/nothing", code=program.WRONG_USE)
        self.assertIn(f"s3://{BUCKET}/nothing has no manifest.json", said)
        done = program.run("audit", f"s3://{BUCKET}/nothing",
                           environment={**self.environment, "AWS_SECRET_ACCESS_KEY": "wrong"})
        self.assertNotIn(done.returncode, (program.DONE, program.RETRY), done.stderr)
        self.assertIn("SignatureDoesNotMatch", done.stderr)


if __name__ == "__main__":
    unittest.main()
