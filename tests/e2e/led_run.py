"""Runs that one command leads while others do the work: ranks of `kernelmill step`."""

import json
import os
import time

import program

PATIENCE = 900  # Seconds for one run.


def rank(output, step, number, world, environment=None):
    """Starts the rank `number` of `world` of a step."""
    return program.start("step", output, step, "--rank", number, "--world", world, "--quiet",
                         env={**os.environ, **(environment or {})})


class LedRun(program.EndToEnd):
    def lead(self, *arguments, environment=None):
        """Starts a command that leads a run and does none of its work."""
        leader = program.start(*arguments, "--executor", "manual",
                               env={**os.environ, **(environment or {})})
        self.addCleanup(leader.stderr.close)
        self.addCleanup(leader.wait)
        self.addCleanup(program.kill_group, leader)
        return leader

    def unfinished(self, output):
        """The step that the leader waits for, if it has a plan."""
        for plan in output.glob(".run/steps/*/plan.json"):
            try:
                partitions = json.loads(plan.read_text())["partitions"]
                done = len(list(plan.parent.glob("part-*.json")))
            except OSError:  # The run has ended in between.
                continue
            if done < partitions:
                return plan.parent.name
        return None

    def drive(self, output, leader, work):
        """Calls `work(step)` for each step until the run has ended; returns the steps."""
        deadline = time.monotonic() + PATIENCE
        steps = []
        while leader.poll() is None:
            self.assertLess(time.monotonic(), deadline, f"stuck in {steps[-1:]}")
            step = self.unfinished(output)
            if step is None:
                time.sleep(0.02)
                continue
            steps.append(step)
            work(step)
        self.assertEqual(leader.returncode, program.DONE, leader.stderr.read())
        return steps
