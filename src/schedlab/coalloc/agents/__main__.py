"""One agent for a single session; the argument is the file descriptor of its listening socket."""

from __future__ import annotations

import os
import socket
import sys

from schedlab.coalloc.agents.process import SECRET_VARIABLE
from schedlab.coalloc.agents.server import serve

if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), os.environ[SECRET_VARIABLE].encode(), once=True)
