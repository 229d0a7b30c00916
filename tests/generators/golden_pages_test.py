"""Reads the golden cards and reports with independent parsers: they must be well-formed and
harmless."""

import html.parser
import pathlib
import re
import unittest
import xml.etree.ElementTree

import yaml

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
ELEMENTS = set("""html head meta title style body main section div span h1 h2 p b code table tr th td
               ul li svg rect text line""".split())
VOID = {"meta"}


class Reader(html.parser.HTMLParser):
    """Collects the elements as a browser's tokenizer sees them, and checks that each is closed."""

    def __init__(self):
        super().__init__()
        self.open, self.elements, self.attributes = [], [], []

    def handle_starttag(self, tag, attributes):
        self.elements.append(tag)
        self.attributes += attributes
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class Reports(unittest.TestCase):
    def each(self):
        for name in ("report.html", "report_hostile.html", "report_empty.html"):
            text = (GOLDEN / name).read_text(encoding="utf-8")
            with self.subTest(name):
                yield text

    def test_are_well_formed_html_of_known_elements(self):
        for text in self.each():
            reader = Reader()
            reader.feed(text)
            reader.close()
            self.assertEqual(reader.open, [])
            self.assertEqual(set(reader.elements) - ELEMENTS, set())
            for name, value in reader.attributes:
                self.assertFalse(name.startswith("on"), name)
                self.assertNotIn(name, ("src", "href", "srcdoc", "action"))
                self.assertNotRegex(value or "", r"(?i)javascript:alert|url\(")

    def test_are_well_formed_xml(self):
        for text in self.each():
            root = xml.etree.ElementTree.fromstring(text)
            self.assertEqual(root.tag, "html")

    def test_hostile_names_come_out_as_text(self):
        root = xml.etree.ElementTree.parse(GOLDEN / "report_hostile.html").getroot()
        self.assertIn("<script>alert(1)</script>", "".join(root.itertext()))
        self.assertEqual(list(root.iter("script")), [])

    def test_every_chart_has_a_name_and_fits_its_box(self):
        root = xml.etree.ElementTree.parse(GOLDEN / "report.html").getroot()
        charts = list(root.iter("svg"))
        self.assertGreater(len(charts), 8)
        for chart in charts:
            self.assertTrue(chart.get("aria-label"))
            _, _, width, height = map(float, chart.get("viewBox").split())
            for bar in chart.iter("rect"):
                right = float(bar.get("x")) + float(bar.get("width"))
                bottom = float(bar.get("y")) + float(bar.get("height"))
                self.assertLessEqual(right, width)
                self.assertLessEqual(bottom, height)
                self.assertGreaterEqual(float(bar.get("y")), 0)


class Cards(unittest.TestCase):
    def test_front_matter_has_the_keys_once(self):
        for name in ("dataset_card.md", "dataset_card_hostile.md"):
            front = (GOLDEN / name).read_text(encoding="utf-8").split("---\n")[1]
            keys = re.findall(r"^([a-z_]+):", front, re.MULTILINE)
            self.assertEqual(keys[:6], ["pretty_name", "license", "language", "task_categories",
                                        "tags", "size_categories"])
            self.assertLessEqual(set(keys[6:]), {"configs"})
            for line in front.splitlines():
                self.assertRegex(line, r'^ *(- )?([a-z_]+:( .*)?|[\w.<>-]+|"([^"\\]|\\.)*")$')

    def test_hostile_names_are_values_and_nothing_else(self):
        text = (GOLDEN / "dataset_card_hostile.md").read_text(encoding="utf-8")
        front, body = text.split("---\n", 2)[1:]
        card = yaml.safe_load(front)
        self.assertEqual(card["license"], ["other"])
        self.assertEqual(card["tags"], ["kernelmill", "pytorch", "shape_reasoning"])
        self.assertNotIn("evil", front)
        for line in body.splitlines():
            self.assertNotRegex(line, "^(---|license:)")
            self.assertNotIn("<", re.sub(r"`[^`]*`", "", line))
            # A name must not end a cell: every row of a table has as many cells as its header.
        for table in re.findall(r"(?:^\|.*\n)+", body, re.MULTILINE):
            self.assertEqual(len({line.count("|") for line in table.splitlines()}), 1, table)
        controls = r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]"
        self.assertIsNone(re.search(controls, text))

    def test_data_files_name_the_best_format(self):
        card = (GOLDEN / "dataset_card.md").read_text(encoding="utf-8")
        self.assertIn('  - split: "train"\n    path: "data/train-*.parquet"\n', card)
        self.assertIn('  - split: "validation"\n    path: "data/validation.jsonl"\n', card)


if __name__ == "__main__":
    unittest.main()
