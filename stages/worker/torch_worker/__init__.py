"""Runs PyTorch tasks in confined forks of a process that has imported torch once."""
