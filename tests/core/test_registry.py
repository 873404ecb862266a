import subprocess
import sys
import textwrap

import pytest

from sfumato.core import DataError, UnknownNameError, registry


def test_a_file_is_a_method():
    assert {"mdav", "pram", "rank_swapping", "global_recoding", "top_bottom_coding"} <= set(
        registry.names("masking")
    )
    for name in registry.names("masking"):
        assert registry.load("masking", name).name == name


def test_names_and_summaries_need_no_import():
    code = """
        import sys
        from sfumato.core import registry
        for kind in ("masking", "measures"):
            for name in registry.names(kind):
                assert registry.summary(kind, name)
        loaded = {"numpy", "numba", "pyarrow", "sfumato.masking.mdav"} & set(sys.modules)
        assert not loaded, loaded
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)


@pytest.mark.parametrize("kind", ["masking", "measures"])
def test_summaries_are_those_of_the_classes(kind):
    for name in registry.names(kind):
        assert registry.summary(kind, name) == registry.load(kind, name).summary()


def test_unknown_names_get_a_suggestion():
    with pytest.raises(UnknownNameError, match=r"Unknown masking method 'mdva'. Did you mean mdav\?"):
        registry.make("masking", "mdva")


@pytest.mark.parametrize("spec", [3, {}, {"method": 3}, None, ["mdav"]])
def test_a_spec_must_name_a_method(spec):
    with pytest.raises(DataError, match="A masking method is a name or a table with the key 'method'"):
        registry.make("masking", spec)


def test_packages_of_others_add_methods(tmp_path):
    """A real package with an entry point, on the path of a real interpreter."""
    (tmp_path / "noisy.py").write_text(
        '"""Noisy: adds noise."""\nfrom sfumato.masking import Masking\n\n'
        "class Noisy(Masking):\n    def mask(self, table, names, rng):\n        return table\n"
    )
    info = tmp_path / "noisy-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: noisy\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[sfumato.masking]\nnoisy = noisy:Noisy\n")
    code = """
        from sfumato.core import registry
        assert "noisy" in registry.names("masking")
        assert registry.summary("masking", "noisy") == "Noisy: adds noise."
        print(registry.make("masking", {"method": "noisy"}).spec())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(tmp_path)},
    )
    assert done.stdout.strip() == "{'method': 'noisy'}"
