"""Questions about a project: one file each, a function `(held, arguments)` that returns a dictionary.

They run in the question process, never in the server. Arguments are texts, as an address has them, or plain
values from a page; the answer, made plain for JSON, is what the page draws and what
`/api/projects/<id>/<question>` returns.
"""
