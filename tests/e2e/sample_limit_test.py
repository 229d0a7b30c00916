"""`sample --limit` about the tasks of a configuration."""

import json
import shutil
import unittest

import chat_server
import program


class SampleLimit(program.EndToEnd):
    def test_a_limit_admits_only_the_tasks_that_it_needs(self):
        server = chat_server.ChatServer(self)
        tasks = self.folder / "many.jsonl"
        right = ("import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n"
                 "        return torch.relu(x) * {}.5\n\n\ndef get_inputs():\n"
                 "    return [torch.rand(4, 8)]\n\n\ndef get_init_inputs():\n    return []\n")
        # Every second one fails.
        texts = [right.format(i) if i % 2 else f"class Model:\n    pass  # {i}\n"
                 for i in range(16)]
        tasks.write_text("\n".join(json.dumps({"reference": text}) for text in texts))
        output = self.folder / "limited.jsonl"
        configuration = self.folder / "rft.yaml"
        configuration.write_text(json.dumps({"seed": 7, "tasks": [{"file": str(tasks)}],
                                             "samples": [{"file": str(output)}]}))

        def asked(limit, jobs):
            """The prompts, and how many tasks were said to have failed."""
            output.unlink(missing_ok=True)
            shutil.rmtree(f"{output}.tasks", ignore_errors=True)
            before = len(server.bodies())
            done = program.run("sample", configuration, "--endpoint", server.url, "--model", "toy",
                               "--jobs", jobs, "--limit", limit, "--output", output, "--json",
                               environment={"http_proxy": ""})
            self.assertEqual(done.returncode, program.DONE, done.stderr)
            self.assertEqual(json.loads(done.stdout)["prompts"], min(limit, 8), done.stderr)
            return ({body["messages"][-1]["content"] for body in server.bodies()[before:]},
                    done.stderr.count("no question about"))

        few, failed = asked(3, 1)
        self.assertEqual(len(few), 3)
        self.assertLess(failed, 8)
        self.assertEqual(asked(3, 2), (few, failed))
        more, failed = asked(100, 2)
        self.assertEqual((len(more), failed), (8, 8))
        self.assertLess(few, more)


if __name__ == "__main__":
    unittest.main()
