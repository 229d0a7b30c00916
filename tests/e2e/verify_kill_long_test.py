"""verify_kill_test.py with thirty kills."""

import unittest

import verify_kill_test


class ThirtyKills(verify_kill_test.Kill):
    kills = 30


if __name__ == "__main__":
    # Only this class: importing the module must not run its own tests again.
    unittest.main(defaultTest="ThirtyKills.test_killed_and_resumed")
