"""How long a task will still take, by its pace over the last steps."""

from collections import deque

REMEMBERED = 50


class Pace:
    """When a task was how far. Only the last tellings count: outcomes that were kept come at once.

    >>> pace = Pace(0.0, 0)
    >>> pace.left(10.0, 20, 100)
    40.0
    """

    def __init__(self, now: float, done: int) -> None:
        self._marks = deque([(now, done)], maxlen=REMEMBERED)

    def left(self, now: float, done: int, total: int) -> float | None:
        """Seconds to the end; nothing where no step was made yet."""
        began, before = self._marks[0]
        if done > self._marks[-1][1]:
            self._marks.append((now, done))
        if done <= before or total <= 0:
            return None
        return round(max(total - done, 0) * (now - began) / (done - before), 1)

    def skip(self, seconds: float) -> None:
        """Leave out time in which nothing was done."""
        self._marks = deque(((at + seconds, done) for at, done in self._marks), maxlen=REMEMBERED)
