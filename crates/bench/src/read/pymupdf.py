# Reads PDFs with PyMuPDF for `quire-bench bench read`: a task and a path per line in, a line of JSON out.
#
# What is timed is what a user of PyMuPDF writes to get words with places: open the file, and ask each page for its
# words. Neither the start of Python nor the JSON is timed.

import json
import sys
from time import perf_counter

import pymupdf

pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)


def read(path):
    with pymupdf.open(path) as document:
        return [page.get_text("words") for page in document]


def upright(path, pages):
    """The same words as a person sees them: PyMuPDF gives places on the page before it is turned."""
    with pymupdf.open(path) as document:
        for page, words in zip(document, pages):
            turn = page.rotation_matrix
            yield [(*(pymupdf.Rect(word[:4]) * turn), word[4]) for word in words]


def answer(task, path):
    started = perf_counter()
    pages = read(path)
    seconds = perf_counter() - started
    if task == "time":
        return {"seconds": seconds}
    return {"seconds": seconds, "pages": list(upright(path, pages))}


def say(message):
    print(json.dumps(message), flush=True)


say({"name": f"PyMuPDF {pymupdf.VersionBind} (MuPDF {pymupdf.VersionFitz})"})
for line in sys.stdin:
    task, path = line.rstrip("\n").split("\t")
    try:
        say(answer(task, path))
    except Exception as error:
        say({"error": str(error) or type(error).__name__})
