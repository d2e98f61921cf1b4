"""Adds a few documents to a server, tells schemathesis their ids, and runs it with its default checks."""

import json
import subprocess
import sys

import requests

SERVER, ARGUMENTS = sys.argv[1], sys.argv[2:]
UNKNOWN_ID = "0192f0c1-5b7a-7c3e-8f00-0123456789ab"
DOCUMENT = """Patient: Luna {0}
Species: dog
Visit date: 2024-02-0{0}
Diagnosis: in good health, nothing was found in the whole examination
Weight: 4.{0}
"""
# These need a language model, which the server under test does not have: it answers 503.
NEED_MODEL = ("full_review", "expand_idea", "review_idea", "revise_proposal")
# These may ask for Document Intelligence, which it does not have either.
MAY_NEED_EXTRACTOR = ("upload_document", "add_document", "reprocess_document")

# Each of these can refuse what fits its schema, for a reason that no schema can express (docs/decisions/openapi.md).
MAY_REFUSE = {
    # The content of a file, and of the form around it.
    MAY_NEED_EXTRACTOR: ["2xx", 400, 404, 409, 413, 415, 503],
    # A cursor or an event that was never given out; a field that is not in the version; a filter that cannot be read.
    ("list_documents", "follow_events", "edit_interpretation", "search", "list_hits_in_document", "ask"): ["2xx", 400, 404, 409],
    # The number of sentences, versions, and at least one edit.
    NEED_MODEL: ["2xx", 400, 404, 409, 422, 503],
    # The name of a lane, and the members of a request that do not belong to its type.
    ("pause_lane", "resume_lane", "create_link_request"): ["2xx", 400, 404, 409, 422],
    # A run compared with itself.
    ("compare_proposal_runs",): ["2xx", 400, 404],
}


def call(method, path, **options):
    response = requests.request(method, SERVER + path, timeout=60, **options)
    response.raise_for_status()
    return response.json()


def wait_until_processed(ids):
    """Waits until the run of each of these documents has ended."""
    with requests.get(f"{SERVER}/events?last_event_id=0", stream=True, timeout=60) as events:
        for line in events.iter_lines():
            if line.startswith(b"data: "):
                event = json.loads(line[len(b"data: "):])
                if event.get("event_type") in ("RUN_COMPLETED", "RUN_FAILED", "RUN_TIMED_OUT"):
                    ids.discard(event["document_id"])
            if not ids:
                return


def add_documents():
    """Adds documents and returns the ids of documents, runs and candidates."""
    documents = []
    for number in (1, 2, 3):
        file = (f"record-{number}.txt", DOCUMENT.format(number))
        documents.append(call("POST", "/documents/upload", files={"file": file})["document_id"])
    wait_until_processed(set(documents))
    runs = [call("GET", f"/documents/{document}")["latest_run"]["run_id"] for document in documents]
    # An edit with a key that is not in the schema creates a candidate.
    change = {"op": "ADD", "key": "favourite_toy", "value": "ball"}
    edit = {"base_version_number": 1, "changes": [change]}
    call("POST", f"/runs/{runs[0]}/interpretations", json=edit)
    items = call("GET", "/reviewer/structural-changes")["items"]
    candidates = [item["candidate_id"] for item in items]
    return {"documents": documents, "runs": runs, "reviewer/structural-changes": candidates}


def settings(ids):
    # A stream has no end; schemathesis checks its first message.
    lines = ["max-stream-events = 1"]
    for place, (path, known) in enumerate(ids.items()):
        lines += [f"[dictionaries.ids-{place}]", f"values = {json.dumps(known + [UNKNOWN_ID])}"]
        binding = f'{{ dictionary = "ids-{place}", probability = 0.8 }}'
        lines += ["[[operations]]", f'include-path-regex = "^/{path}/"', f'parameters = {{ "path.id" = {binding} }}']
    for operations, statuses in MAY_REFUSE.items():
        lines += ["[[operations]]", f"include-operation-id = {json.dumps(operations)}"]
        lines += [f"checks.positive_data_acceptance.expected-statuses = {json.dumps(statuses)}"]
        if operations in (NEED_MODEL, MAY_NEED_EXTRACTOR):
            lines += ['checks.not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 503]']
    return "\n".join(lines) + "\n"


with open("schemathesis.toml", "w") as file:
    file.write(settings(add_documents()))
command = [sys.executable, "-m", "schemathesis.cli", "--config-file", "schemathesis.toml", "run"]
defaults = ["--seed=1", "--max-examples=25", "--request-timeout=20", "--warnings=off", f"{SERVER}/openapi.json"]
sys.exit(subprocess.run(command + defaults + ARGUMENTS).returncode)
