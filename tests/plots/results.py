"""Results to draw, made by hand or from small tables."""

import numpy as np

from sfumato import evaluate
from sfumato.data import Attribute, Schema, Table
from sfumato.jobs import Protection
from sfumato.jobs._choice import Choice
from sfumato.jobs._order import Order
from sfumato.jobs._policy import Terms
from sfumato.jobs._treatment import treatments
from sfumato.jobs.protect import Protect
from sfumato.masking import Chain, Mdav, Pram, masked_with
from sfumato.measures import Score
from sfumato.search.maskings.candidates import Candidate, Judge
from sfumato.search.maskings.gates import Gate, GateReading
from sfumato.search.maskings.policy import Policy

ODD_NAMES = ('<b>"age" & sex</b>', "cost $ in $", "收入 łódź", "o'brien\nnew line")


def numeric(name, **details):
    return Attribute(name=name, scale="numeric", role=details.pop("role", "key"), **details)


def nominal(name, categories, **details):
    return Attribute(
        name=name,
        scale=details.pop("scale", "nominal"),
        role=details.pop("role", "key"),
        categories=tuple(categories),
        **details,
    )


def mixed_table(n=120, seed=0):
    """Every difficulty at once: odd names, missing values, constants, empty categories, an identifier."""
    rng = np.random.default_rng(seed)
    names = [f"SECRET-{i:04d}" for i in range(n)]
    age = np.round(rng.normal(45, 15, n))
    age[:7] = np.nan
    town = rng.integers(0, 3, n)
    town[-5:] = -1
    schema = Schema(
        [
            nominal("who", names, role="identifier"),
            numeric(ODD_NAMES[0], decimals=0),
            numeric(ODD_NAMES[1]),
            numeric("constant"),
            nominal(ODD_NAMES[2], ("<town>", "b & c", "łódź", "nobody")),
            nominal(ODD_NAMES[3], ("low", "middle", "high"), scale="ordinal"),
            numeric("income", role="confidential"),
        ]
    )
    columns = {
        "who": np.arange(n),
        ODD_NAMES[0]: age,
        ODD_NAMES[1]: rng.lognormal(8, 1.8, n),
        "constant": np.full(n, 3.0),
        ODD_NAMES[2]: town,
        ODD_NAMES[3]: rng.integers(0, 3, n),
        "income": rng.lognormal(10, 1, n),
    }
    return Table(schema, columns)


def two_steps(table, *, k=4, p=0.7):
    keys = table.schema.with_role("key")
    numbers = tuple(n for n in keys if table.schema[n].is_numeric)
    others = tuple(n for n in keys if n not in numbers)
    if not others:
        return Mdav(k=k, attributes=numbers)
    if not numbers:
        return Pram(p=p, attributes=others)
    return Chain((Mdav(k=k, attributes=numbers), Pram(p=p, attributes=others)))


def protection(table, maskings=None, *, require=(), keep=(), score="max", seed=3):
    """What `protect` gives, from a short list of maskings; the first one is chosen."""
    maskings = maskings or [two_steps(table, k=k, p=p) for k, p in ((4, 0.7), (2, 0.9), (8, 0.3))]
    gates = [Gate.parse(text) for text in require]
    judge = Judge(table, seed=seed, measures=[gate.measure for gate in gates])
    candidates = tuple(judge.judge(masking) for masking in maskings)
    masked = masked_with(maskings[0], table, seed=seed)
    treated = treatments(table, masked=table.schema.with_role("key"), keep=keep)
    readings = [GateReading(gate=g, reading=g.reading(candidates[0].scores), holds=True) for g in gates]
    return Protection(
        job=Protect(require=require, keep=keep, score=score, seed=seed),
        original=table,
        aligned=masked.select(treated.released),
        treated=treated,
        order=Order.drawn(table.n, seed),
        candidates=candidates,
        chosen=candidates[0],
        evaluation=evaluate(table, masked),
        gates=tuple(readings),
        terms=Terms(policy=Policy.named("none"), origins=dict.fromkeys(gates, "required")),
        choice=Choice(candidates[0], tuple(readings)),
        score=score,
        searched=True,
        seconds=1.25,
    )


def candidate(masking, loss, risk):
    scores = {
        name: Score(measure=name, value=value, parts={}, seconds=0.0)
        for name, value in (("information_loss", loss), ("disclosure_risk", risk))
    }
    return Candidate(masking=masking, scores=scores, seconds=0.0)
