"""Compares a census with a dataset: the fate of every self-contained class, and how well the sizes
of the admitted modules are founded. Used by bench/census.py --dataset."""

import collections

import dataset_records

# The sources of a size that was not guessed from a name or an error.
TRACED = ("observed", "call_site", "default", "layer")


def _key(origin):
    return (origin["commit"], origin["path"], origin["symbol"])


def fates(results, dataset):
    """Maps each self-contained class of the census to its fate: "admitted", or a reason."""
    admitted = {_key(origin) for task in dataset_records.records(dataset, "task")
                for origin in task["origins"]}
    rejected = {}
    for reject in dataset_records.rejects(dataset):
        for origin in reject["origins"]:
            # A class should be rejected only once; of several rejections the first by name counts.
            key = _key(origin)
            reason = f"{reject['step']}: {reject['reason']}"
            rejected[key] = min(rejected.get(key, reason), reason)
    for result in results:
        for entry in result["self_contained"]:
            key = (result["commit"], entry["path"], entry["class"])
            both = key in admitted and key in rejected
            yield result, entry, ("admitted" if key in admitted else
                                  rejected.get(key, "not in the dataset")), both


def size_statistics(dataset):
    """Counts over the admitted tasks: tensors of rank >= 2, those with all sizes equal, and what
    each size rests on."""
    tensors = equal = 0
    evidence = collections.Counter()
    for task in dataset_records.records(dataset, "task"):
        for spec in task["payload"]["inputs"]:
            if len(spec["shape"]) >= 2:
                tensors += 1
                equal += len(set(spec["shape"])) == 1
        evidence.update(task["attributes"].get("size_evidence", []))
    return tensors, equal, evidence


def print_acceptance(results, dataset):
    """Prints the table and returns whether every class has exactly one fate."""
    found = list(fates(results, dataset))
    adds_up = True
    print("\nself-contained classes in the dataset:")
    for result in results:
        mine = [fate for other, _, fate, _ in found if other is result]
        name = result["source"].rstrip("/").rpartition("/")[2]
        share = mine.count("admitted") / max(1, len(mine))
        print(f"  {name}: {mine.count('admitted')} of {len(mine)} admitted ({share:.1%})")
    reasons = collections.Counter(fate for _, _, fate, _ in found)
    total = sum(reasons.values())
    for reason, count in reasons.most_common():
        print(f"{count:7} {count / max(1, total):6.1%}  {reason}")
    print(f"{total:7}  together")
    doubles = [entry for _, entry, _, both in found if both]
    unknown = reasons["not in the dataset"]
    if total != sum(len(result["self_contained"]) for result in results) or doubles or unknown:
        adds_up = False
        print(f"does not add up: {unknown} classes without a fate, {len(doubles)} with two")
        for _, entry, fate, both in found:
            if both or fate == "not in the dataset":
                print(f"    {entry['path']}:{entry['line']}: {entry['class']}"
                      f"{' is admitted and rejected' if both else ''}")

    tensors, equal, evidence = size_statistics(dataset)
    print(f"\ninput tensors of rank >= 2: {tensors}, with all sizes equal: {equal} "
          f"({equal / max(1, tensors):.1%})")
    sizes = sum(evidence.values())
    print(f"input sizes: {sizes}; observed, of a call site, a default or a layer: "
          f"{sum(evidence[name] for name in TRACED) / max(1, sizes):.1%}; by evidence:")
    for name, count in evidence.most_common():
        print(f"{count:7} {count / max(1, sizes):6.1%}  {name}")
    return adds_up
