#!/usr/bin/env python3
"""Replaces cargo when cargo-deny 0.14 calls it, and writes `cargo metadata` as cargo 1.76 did.

Since cargo 1.77 a package id is a URL; cargo-deny 0.14 expects "name version (source)" and stops at anything else.
It also predates the licence Unicode-3.0, which is therefore given the name of the version before it, here and in the
translation of deny.toml. Every other call goes to the real cargo unchanged.
"""

import json
import os
import subprocess
import sys

cargo = [os.environ["REAL_CARGO"], *sys.argv[1:]]
if sys.argv[1:2] != ["metadata"]:
    os.execvp(cargo[0], cargo)

real = subprocess.run(cargo, stdout=subprocess.PIPE)
if real.returncode != 0:
    sys.exit(real.returncode)
metadata = json.loads(real.stdout)


def old_id(package):
    source = package["source"] or "path+file://" + os.path.dirname(package["manifest_path"])
    return f"{package['name']} {package['version']} ({source})"


old = {package["id"]: old_id(package) for package in metadata["packages"]}
for package in metadata["packages"]:
    package["id"] = old[package["id"]]
    if package["license"]:
        package["license"] = package["license"].replace("Unicode-3.0", "Unicode-DFS-2016")
for members in ("workspace_members", "workspace_default_members"):
    metadata[members] = [old[member] for member in metadata.get(members, [])]
resolve = metadata["resolve"]
resolve["root"] = old.get(resolve["root"])
for node in resolve["nodes"]:
    node["id"] = old[node["id"]]
    node["dependencies"] = [old[dependency] for dependency in node["dependencies"]]
    for dependency in node["deps"]:
        dependency["pkg"] = old[dependency["pkg"]]
json.dump(metadata, sys.stdout)
