"""Kills parts of a run while it goes on: the command that leads it, and whatever else it needs."""

import time

import program

LOOK_SECONDS = 0.05


def during(lead, victims, kills, chance, pause):
    """Starts a run by `lead()`, which returns the process that leads it, and kills parts of it, each
    after a time that is drawn from `pause`, a pair of seconds. `victims`: {name: function that kills
    this part and starts it again}; the leader is one of them anyway, and is started again by
    `lead()`. Returns the last leader and the names of what was killed: `kills` of them, or fewer if
    the run ended before."""
    leader, killed = lead(), []
    while len(killed) < kills:
        end = time.monotonic() + chance.uniform(*pause)
        while time.monotonic() < end and leader.poll() is None:
            time.sleep(LOOK_SECONDS)
        if leader.poll() is not None:
            break
        name = chance.choice(["leader", *victims])
        if name == "leader":
            program.kill_group(leader)
            leader.wait()
            leader.stderr.close()
            leader = lead()
        else:
            victims[name]()
        killed.append(name)
    return leader, killed
