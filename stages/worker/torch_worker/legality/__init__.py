"""What the text of a candidate does that no kernel answer needs."""
