# How gunicorn serves the peer on Django REST Framework: by twice the processors and one, as its
# documentation has it.
import os

wsgi_app = "drf"
chdir = os.path.dirname(os.path.abspath(__file__))
bind = f"127.0.0.1:{os.environ['PORT']}"
workers = 2 * len(os.sched_getaffinity(0)) + 1
accesslog = os.environ["LOG"]


def when_ready(server):
    host, port = server.LISTENERS[0].sock.getsockname()
    print(f"Serves http://{host}:{port}", flush=True)
