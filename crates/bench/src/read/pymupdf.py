# Reads PDFs with PyMuPDF for `quire-bench bench read`. Each input line has a task and a path; each output line is JSON.
#
# The measured time is that of the usual code to get words with boxes: open the file and get the words of each page. The
# start of Python and the JSON are not included.

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
    """The same words on the rotated page: PyMuPDF gives boxes on the unrotated page."""
    with pymupdf.open(path) as document:
        for page, words in zip(document, pages):
            rotation = page.rotation_matrix
            yield [(*(pymupdf.Rect(word[:4]) * rotation), word[4]) for word in words]


def respond(task, path):
    started = perf_counter()
    pages = read(path)
    seconds = perf_counter() - started
    if task == "time":
        return {"seconds": seconds}
    return {"seconds": seconds, "pages": list(upright(path, pages))}


def send(message):
    print(json.dumps(message), flush=True)


send({"name": f"PyMuPDF {pymupdf.VersionBind} (MuPDF {pymupdf.VersionFitz})"})
for line in sys.stdin:
    task, path = line.rstrip("\n").split("\t")
    try:
        send(respond(task, path))
    except Exception as error:
        send({"error": str(error) or type(error).__name__})
