"""Draws the figures of the study of group anonymity with the program itself: `python docs/make_group_pictures.py`.

It also prints the numbers that the page quotes.
"""

from pathlib import Path

from sfumato import group_attack, group_protect
from sfumato.datasets.census_pair import WORDS, census_pair
from sfumato.groups.linguistic_variables import Vocabulary
from sfumato.parallel import available_cores

PICTURES = Path(__file__).parent / "pictures"


def main() -> None:
    """Attack, protect, attack again; draw what was seen before and after."""
    PICTURES.mkdir(exist_ok=True)
    pair = census_pair(90_000, areas=70, planted=2, seed=1)
    soldiers = {"vital": pair.vital, "parameter": pair.parameter}
    words = Vocabulary.from_toml(WORDS)
    attack = group_attack(pair.survey, pair.auxiliary, words=words, workers=available_cores(), **soldiers)
    attack.plot().savefig(PICTURES / "group-attack.svg", metadata={"Date": None})
    print(attack.verdict, attack.found.names, len(attack.model.rules), "rules")
    protection = group_protect(pair.survey, model=attack.model, **soldiers)
    protection.plot().savefig(PICTURES / "group-protection.svg", metadata={"Date": None})
    again = group_attack(protection.release, pair.auxiliary, model=attack.model, **soldiers)
    found = protection.comparison
    print(found.verdict, "seen now:", again.found.names)
    print(
        f"{len(protection.swaps)} swaps, {found.altered_values} values ({found.altered_percent:.4f} %), "
        f"distortion {protection.distortion:g}, valid {protection.valid:.0f} %, "
        f"{protection.run.seconds:.1f} s, new outliers {found.new}, "
        f"by the truth: {protection.truth and protection.truth.verdict}"
    )
    counted = group_protect(pair.survey, without_vital=True, **soldiers)
    after = group_attack(counted.release, pair.auxiliary, model=attack.model, **soldiers)
    print(counted.comparison.verdict, len(counted.swaps), "swaps; the model then shows", after.found.names)


if __name__ == "__main__":
    main()
