"""Serves a language model with llama.cpp, prints its address, and ends with its standard input.

Arguments: the file of the model and the port.
"""

import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[2])
params.api_keys = ["quire-test"]
params.n_ctx = 4096
params.n_parallel = 1
params.cpuparams.n_threads = 2
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
