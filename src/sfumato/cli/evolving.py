"""What an evolution came to, as the command line says it."""

import click

from sfumato.cli.printing import percent, print_table
from sfumato.studies import Evolved
from sfumato.studies.explanations import title


def say_evolution(evolved: Evolved) -> None:
    """How far the search came, and how it ended."""
    run, before = evolved.run, evolved.honesty
    resumed = f", {run.resumed} of them from the run folder" if run.resumed else ""
    click.echo(
        f"Evolved {len(run.start)} files for {evolved.generations} generations{resumed} "
        f"({run.evaluations} evaluations, {run.seconds:.1f} s)."
    )
    if evolved.was_stopped:
        click.echo("Stopped by the user; the best so far was written.")
    else:
        click.echo(f"It ended since {run.reason}.")
    best = evolved.fitness.score(evolved.best_start.costs)
    click.echo("                    start    now")
    click.echo(f"  score            {best:>6.2f} {evolved.score:>6.2f}")
    click.echo(f"  information loss {before.start_loss:>6.2f} {evolved.loss:>6.2f} %")
    click.echo(f"  disclosure risk  {before.start_risk:>6.2f} {evolved.risk:>6.2f} %")


def say_honesty(evolved: Evolved) -> None:
    """What the measures say that were not in the fitness."""
    found = evolved.honesty
    rows = [
        (one.sense, title(one.name), percent(one.start), percent(one.value), f"{one.gap:+.2f}")
        for one in found.measures
    ]
    click.echo()
    print_table(
        "Not in the fitness (percent; gap: points worse than the fitness says)",
        ("", "Measure", ">Start", ">Now", ">Gap"),
        rows,
    )
    if found.attacked < found.records:
        click.echo(f"Attackers saw a sample of {found.attacked} of {found.records} records.")
    for sentence in (*found.left_out, *(f"Warning: {warning}" for warning in found.warnings)):
        click.echo(sentence)
