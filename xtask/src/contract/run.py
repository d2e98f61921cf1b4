"""Fills a server with a few documents, tells schemathesis what is there, and runs it with its default checks."""

import json
import subprocess
import sys

import requests

SERVER, ARGUMENTS = sys.argv[1], sys.argv[2:]
NOBODY = "0192f0c1-5b7a-7c3e-8f00-0123456789ab"
DOCUMENT = """Patient: Luna {0}
Species: dog
Visit date: 2024-02-0{0}
Diagnosis: in good health, nothing was found in the whole examination
Weight: 4.{0}
"""
# Each of these can refuse what fits its schema, for a reason that no schema can tell (docs/decisions/openapi.md).
REFUSING = {
    # What is in a file, and what is around it in a form.
    ("upload_document", "add_document"): ["2xx", 400, 409, 413, 415],
    # A cursor or an event that was never given out; a field that is not in the version.
    ("list_documents", "follow_events", "edit_interpretation"): ["2xx", 400, 404, 409],
}


def asked(method, path, **what):
    answer = requests.request(method, SERVER + path, timeout=60, **what)
    answer.raise_for_status()
    return answer.json()


def read(ids):
    """Waits until each of these documents was read."""
    with requests.get(f"{SERVER}/events?last_event_id=0", stream=True, timeout=60) as events:
        for line in events.iter_lines():
            if line.startswith(b"data: "):
                event = json.loads(line[len(b"data: "):])
                if event.get("event_type") in ("RUN_COMPLETED", "RUN_FAILED", "RUN_TIMED_OUT"):
                    ids.discard(event["document_id"])
            if not ids:
                return


def filled():
    """Ids of documents, runs and candidates, with one in each that leads nowhere."""
    documents = []
    for number in (1, 2, 3):
        file = (f"record-{number}.txt", DOCUMENT.format(number))
        documents.append(asked("POST", "/documents/upload", files={"file": file})["document_id"])
    read(set(documents))
    runs = [asked("GET", f"/documents/{document}")["latest_run"]["run_id"] for document in documents]
    # An edit with a key that nobody knows makes a candidate.
    change = {"op": "ADD", "key": "favourite_toy", "value": "ball"}
    edit = {"base_version_number": 1, "changes": [change]}
    asked("POST", f"/runs/{runs[0]}/interpretations", json=edit)
    items = asked("GET", "/reviewer/structural-changes")["items"]
    candidates = [item["candidate_id"] for item in items]
    return {"documents": documents, "runs": runs, "reviewer/structural-changes": candidates}


def settings(ids):
    # A stream has no end; its first message is looked at.
    lines = ["max-stream-events = 1"]
    for place, (path, known) in enumerate(ids.items()):
        lines += [f"[dictionaries.ids-{place}]", f"values = {json.dumps(known + [NOBODY])}"]
        binding = f'{{ dictionary = "ids-{place}", probability = 0.8 }}'
        lines += ["[[operations]]", f'include-path-regex = "^/{path}/"', f'parameters = {{ "path.id" = {binding} }}']
    for operations, statuses in REFUSING.items():
        lines += ["[[operations]]", f"include-operation-id = {json.dumps(operations)}"]
        lines += [f"checks.positive_data_acceptance.expected-statuses = {json.dumps(statuses)}"]
    return "\n".join(lines) + "\n"


with open("schemathesis.toml", "w") as file:
    file.write(settings(filled()))
command = [sys.executable, "-m", "schemathesis.cli", "--config-file", "schemathesis.toml", "run"]
usual = ["--seed=1", "--max-examples=25", "--request-timeout=20", "--warnings=off", f"{SERVER}/openapi.json"]
sys.exit(subprocess.run(command + usual + ARGUMENTS).returncode)
