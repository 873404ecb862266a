"""The pages: one file each, with its `NAVIGATION` entry and a coroutine `draw(visit)`.

A page about a project is served at `/projects/<id>/<name>`. It asks questions and draws what they answered; a
file that also has `routes(bench)`, returning an `APIRouter`, adds addresses under `/api`.
"""
