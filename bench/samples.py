#!/usr/bin/env python3
"""Turns the raw responses of a checkout of KernelBench-Agentic into every format of sample files.
Checks that all of them give the same samples, and that malformed lines among them are found.

    bench/run samples CHECKOUT     a clone, bare or not, of github.com/pango0/KernelBench-Agentic
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

import loops

RESULTS = "gen_results.json"
MODEL = "the-model"
LOOP = loops.BUILD / "bench/sample_loops"


def git(checkout, *arguments):
    return subprocess.run(["git", "-C", checkout, *arguments], check=True,
                          capture_output=True).stdout.decode()


def responses(value):
    """The objects with a raw response in a problem's results, in the order of its turns."""
    if isinstance(value, dict):
        if isinstance(value.get("raw_response"), str):
            yield value
        for inner in value.values():
            yield from responses(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from responses(inner)


def samples_of(checkout):
    paths = sorted(path for path in git(checkout, "ls-tree", "-r", "--name-only", "HEAD",
                                        "experiments/runs").splitlines() if path.endswith(RESULTS))
    for attempt, path in enumerate(paths):
        for level, problems in json.loads(git(checkout, "show", f"HEAD:{path}"))["levels"].items():
            for problem, results in problems.items():
                for turn, response in enumerate(responses(results), 1):
                    yield {"task": f"level_{level}_problem_{problem}", "attempt": attempt,
                           "turn": turn, "message": response["raw_response"]}


def name_of(sample):
    turn = f":t{sample['turn']}" if sample["turn"] > 1 else ""
    return f"{sample['task']}:cuda:{sample['attempt']}{turn}"


def plain(sample):
    return {**sample, "backend": "cuda", "finish_reason": "stop"}


def chat(sample):
    return {"id": name_of(sample), "object": "chat.completion", "model": MODEL, "choices": [
        {"index": 0, "message": {"role": "assistant", "content": sample["message"]},
         "finish_reason": "stop", "logprobs": None}], "usage": None}


def openai(sample):
    return {"id": "batch_req_1", "custom_id": name_of(sample), "error": None,
            "response": {"status_code": 200, "request_id": "r", "body": chat(sample)}}


def vllm(sample):
    return {**openai(sample), "id": "vllm-1"}


def native(sample):
    return {"text": sample["message"], "meta_info": {"id": name_of(sample),
                                                     "finish_reason": {"type": "stop"}}}


FORMATS = {"plain": plain, "openai": openai, "vllm": vllm, "sglang": chat,
           "sglang /generate": native}


def malformed(write, sample):
    """Lines that must become problems, whatever the format: bytes."""
    good = write(sample)
    line = json.dumps(good).encode()
    named = {"id": "vllm-1", "custom_id": name_of(sample)}
    yield from (b"{", line[:-9], b"[]", b"null", b"7", b'"text"', b"\xff\xfe" + line,
                line.replace(b"level_", b"\xc3level_", 1), line + line, b"{}", line[:-1] + b", }",
                b'{"task": 7, "code": 7}', b'{"a": ' * 300 + b"1" + b"}" * 300,
                line)  # The last one occurs twice.
    if write in (openai, vllm):
        yield from (json.dumps(other).encode() for other in (
            {**named, "error": "out of memory"}, {**named, "error": {"message": "no"}},
            {**named, "response": {"status_code": 500, "body": None}},
            {**named, "response": {"status_code": 200, "body": {"choices": []}}}))


def parse(path, format_name="auto"):
    return loops.run(LOOP, format_name, MODEL, path)


def compare(folder, samples):
    """Prints one line a format. Returns what is wrong."""
    faults, digests = [], {}
    for name, write in FORMATS.items():
        path = folder / "samples.jsonl"
        random.Random(name).shuffle(samples)
        path.write_text("".join(json.dumps(write(sample)) + "\n" for sample in samples))
        found = parse(path)
        digests[found["digest"]] = name
        print(f"{name}: recognised as {found['format']}, {found['samples']} samples, "
              f"{found['bytes'] / found['seconds'] / 1e6:.0f} MB/s, {found['digest'][:16]}")
        bad = list(malformed(write, samples[0]))
        path.write_bytes(path.read_bytes() + b"\n".join(bad) + b"\n")
        damaged = parse(path)
        caught = sum(damaged["problems"].values())
        print(f"  {caught} of {len(bad)} malformed lines found: {damaged['problems']}")
        if found["format"] != name.split()[0] or found["samples"] != len(samples):
            faults.append(f"{name}: not all of {len(samples)} samples were read")
        if found["problems"] or caught != len(bad) or damaged["digest"] != found["digest"]:
            faults.append(f"{name}: malformed lines were not told from good ones")
    if len(digests) != 1:
        faults.append(f"the samples differ between {', '.join(digests.values())}")
    return faults


def compare_folder(folder, samples):
    """A run folder of KernelBench against plain lines with the same code."""
    run, path = folder / "run", folder / "code.jsonl"
    run.mkdir()
    lines = []
    for sample in samples:
        if sample["turn"] == 1:
            code = sample["message"]
            (run / f"{sample['task']}_sample_{sample['attempt']}_kernel.py").write_text(
                code, newline="")
            lines.append(json.dumps({"task": sample["task"], "attempt": sample["attempt"],
                                     "code": code}))
    path.write_text("\n".join(lines))
    files, rows = parse(run), parse(path)
    print(f"kernelbench: {files['samples']} files, {files['digest'][:16]}")
    same = files["digest"] == rows["digest"] and files["samples"] == len(lines)
    return [] if same else ["the run folder and plain lines with its code differ"]


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    samples = list(samples_of(sys.argv[1]))
    print(f"{len(samples)} raw responses")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        faults = compare(folder, samples) + compare_folder(folder, samples)
    if not samples:
        faults.append(f"{sys.argv[1]} holds no {RESULTS}")
    print("\n".join(faults) or "all formats give the same samples")
    raise SystemExit(bool(faults))


if __name__ == "__main__":
    main()
