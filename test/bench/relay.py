# A way to Postgres that takes half a millisecond in each direction, however much is under way: what arrives is
# sent on that much later. It prints the port that it listens on.
import collections
import select
import socket
import sys
import time

DELAY = 0.0005

host, port = sys.argv[1], int(sys.argv[2])
listener = socket.create_server(("127.0.0.1", 0), backlog=512)
print(listener.getsockname()[1], flush=True)

other = {}
# What is under way: when it is due, where to, and what; nothing for an end
queue = collections.deque()


def prepared(end):
    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return end


while True:
    wait = max(0, queue[0][0] - time.monotonic()) if queue else None
    for end in select.select([listener, *other], [], [], wait)[0]:
        if end is listener:
            one = prepared(listener.accept()[0])
            two = prepared(socket.create_connection((host, port)))
            other[one], other[two] = two, one
            continue
        try:
            data = end.recv(1 << 20)
        except OSError:
            data = b""
        queue.append((time.monotonic() + DELAY, other[end], data))
        if not data:
            del other[end]
    while queue and queue[0][0] <= time.monotonic():
        _, end, data = queue.popleft()
        try:
            if data:
                end.sendall(data)
            else:
                end.shutdown(socket.SHUT_WR)
        except OSError:
            pass
