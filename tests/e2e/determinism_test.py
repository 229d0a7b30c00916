"""A dataset does not depend on the load of the machine or on how the work is divided and
ordered."""

import os
import subprocess
import sys
import unittest

import program
import repository


class Determinism(program.EndToEnd):
    def test_the_root_depends_on_the_sources_alone(self):
        sample = repository.sample_repository(self.folder / "source")
        repository.write_port(sample)
        sample.commit()
        source = sample.folder
        configuration = self.configuration(source, generate={"count": 3, "levels": [1, 2, 3]},
                                           answer={**program.ANSWERS, "limit": 1},
                                           perturb={"mutants": 6,
                                                    "shares": {"build": 1, "numerics": 2}})
        # The two builds differ in all of these at once, because a build takes long.
        first = self.build(
            configuration, self.folder / "one", "--jobs", 1, "--set", "partitions=1", "--shuffle", 6,
            environment={"ATEN_CPU_CAPABILITY": "avx2", "LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo",
                         "OMP_NUM_THREADS": "3", "PYTHONHASHSEED": "99", "HOME": str(self.folder)})
        self.assertGreaterEqual(first["records"]["task"], 6 + 3)
        self.assertGreaterEqual(first["records"]["training"], 6)
        self.assertGreaterEqual(first["records"]["candidate"], 1)
        self.assertGreaterEqual(first["records"]["check"], 1)
        self.assertEqual(first["records"]["port"], 1)
        second = self.build(configuration, self.folder / "two", "--jobs", 2, "--set",
                            "partitions=32", environment={"ATEN_CPU_CAPABILITY": "default"})
        self.assertEqual(second["merkle_root"], first["merkle_root"])
        self.assertEqual(second["records"], first["records"])
        self.assertEqual(second["rows"], first["rows"])

    def test_a_busy_machine_changes_no_byte(self):
        source = repository.sample_repository(self.folder / "source", files=2).folder
        configuration = self.configuration(source)
        idle = self.build(configuration, self.folder / "idle")
        hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                for _ in range(2 * len(os.sched_getaffinity(0)))]
        try:
            busy = self.build(configuration, self.folder / "busy")
        finally:
            for hog in hogs:
                hog.kill()
                hog.wait()
        # Every file is the same, not only the records.
        self.assertEqual(busy["files"], idle["files"])
        self.assertEqual(busy["manifest_digest"], idle["manifest_digest"])

    def test_a_clone_elsewhere_makes_the_same_dataset(self):
        original = repository.sample_repository(self.folder / "a/source", files=2)
        clone = self.folder / "b/other"
        clone.parent.mkdir()
        original.git("clone", "--quiet", "--bare", str(original.folder), str(clone))
        roots = set()
        for number, folder in enumerate((original.folder, clone)):
            configuration = self.configuration({"git": str(folder), "url": "https://example.org/x"},
                                               name=f"run{number}")
            roots.add(self.build(configuration, self.folder / f"out{number}")["merkle_root"])
        self.assertEqual(len(roots), 1)


if __name__ == "__main__":
    unittest.main()
