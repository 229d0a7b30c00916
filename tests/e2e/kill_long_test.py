"""kill_test.py with fifty kills."""

import unittest

import kill_test


class FiftyKills(kill_test.Kill):
    kills = 50


if __name__ == "__main__":
    # Only this class: importing the module must not run its own test again.
    unittest.main(defaultTest="FiftyKills")
