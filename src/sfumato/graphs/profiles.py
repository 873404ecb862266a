"""Profiles of users of a social network, and the crawler that goes from one to those they follow."""

from collections.abc import Iterable
from typing import Protocol

import msgspec

from sfumato.core import DataError, ParameterError, stream
from sfumato.core.progress import task


class Post(msgspec.Struct, frozen=True):
    """A short text, and the texts of the documents it links to, as far as they were exported."""

    text: str = ""
    documents: tuple[str, ...] = ()


class Profile(msgspec.Struct, frozen=True):
    """What a user shows to everybody: where they say they live, what they post, whom they follow."""

    id: str
    location: str = ""
    posts: tuple[str | Post, ...] = ()
    follows: tuple[str, ...] = ()


class ProfileSource(Protocol):
    """Where profiles come from: exported files, or an adapter to the interface of a network."""

    def profile(self, id: str) -> Profile | None:
        """The profile of a user; nothing if it cannot be had, being closed, deleted or not exported."""


def crawl(
    source: ProfileSource, start: str, *, users: int, posts: int | None = None, seed: int = 0
) -> list[Profile]:
    """The profiles of a user and of others who can be reached from them, at most `users`.

    In each step one of the users who are followed by somebody crawled, and are not crawled yet, is drawn at random:
    so the first ones have the most of their neighbours in the graph. At most `posts` posts of each are kept. A
    user whose profile cannot be had is passed over and does not count.

    Source: Algorithm 12 of Marés, *thesis*, ch. 6.

    >>> class Two:
    ...     def profile(self, id):
    ...         return {"ann": Profile("ann", follows=("bob", "eve")), "bob": Profile("bob")}.get(id)
    >>> [profile.id for profile in crawl(Two(), "ann", users=5)]
    ['ann', 'bob']
    """
    if users < 1 or (posts is not None and posts < 0):
        raise ParameterError(
            f"crawl: users must be at least 1, and posts at least 0. Got {users} and {posts}."
        )
    first = source.profile(start)
    if first is None:
        raise DataError("The source has no profile of the user to start from: give the id of another one.")
    rng = stream(seed, "crawl")
    found = [shortened(first, posts)]
    known = {start}  # crawled, waiting or not to be had
    unvisited = _new(first.follows, known)
    with task("Crawling profiles", users) as progress:
        progress.advance()
        while unvisited and len(found) < users:
            chosen = int(rng.integers(len(unvisited)))
            unvisited[chosen], unvisited[-1] = unvisited[-1], unvisited[chosen]
            profile = source.profile(unvisited.pop())
            if profile is None:
                continue
            found.append(shortened(profile, posts))
            unvisited.extend(_new(profile.follows, known))
            progress.advance()
    return found


def _new(ids: Iterable[str], known: set[str]) -> list[str]:
    fresh = [id for id in dict.fromkeys(ids) if id not in known]
    known.update(fresh)
    return fresh


def shortened(profile: Profile, posts: int | None) -> Profile:
    """A profile with at most so many posts, the first ones; with all, if no number is given."""
    return msgspec.structs.replace(profile, posts=profile.posts[:posts])
