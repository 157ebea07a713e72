"""Lines of JSON from other programs are objects with known keys and finite numbers, or errors of one line."""

from __future__ import annotations

import pytest

from gambol.errors import InputError
from gambol.io.json_lines import check_keys, parse_numbers, parse_object


@pytest.mark.parametrize("line", ['{"a": [1]}', b'{"a": [1]}\n', ' {"a":[1]}\r\n'])
def test_an_object_is_parsed(line: str | bytes) -> None:
    assert parse_object(line, "") == {"a": [1]}


@pytest.mark.parametrize(
    "line", ["", "{", "nonsense", b"\xff\xfe{}", "[" * 100_000, "{'a': 1}", '{"a": ' + "1" * 5000 + "}", "{} {}"]
)
def test_what_is_not_json_is_an_error_of_one_line(line: str | bytes) -> None:
    with pytest.raises(InputError, match="not a line of JSON") as error:
        parse_object(line, "")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("line", ["[]", "1", "null", '"a"', "NaN"])
def test_what_is_not_an_object_shows_an_example(line: str) -> None:
    with pytest.raises(InputError, match=r"not an object.*EXAMPLE"):
        parse_object(line, "EXAMPLE")


def test_unknown_keys_are_named() -> None:
    check_keys({"hand": 1}, ("hand", "style"), "a sample")
    check_keys({}, ("hand",), "a sample")
    with pytest.raises(InputError, match=r"a sample has no 'foot'.*it has hand, style"):
        check_keys({"hand": 1, "foot": 2}, ("hand", "style"), "a sample")
    with pytest.raises(InputError) as error:
        check_keys({"x" * 10_000: 1}, ("hand",), "a sample")
    assert len(str(error.value)) < 200


def test_numbers_are_parsed() -> None:
    found = parse_numbers([1, 2.5, -3], "a hand")
    assert found == (1.0, 2.5, -3.0)
    assert all(type(number) is float for number in found)
    assert parse_numbers([], "a hand") == ()


@pytest.mark.parametrize("values", [None, 1, "123", {"a": 1}, [1, None], [True], ["1"], [[1]]])
def test_what_is_not_numbers_is_an_error(values: object) -> None:
    with pytest.raises(InputError, match="a hand is not a list of numbers"):
        parse_numbers(values, "a hand")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 10**400])
def test_numbers_are_finite(value: float) -> None:
    with pytest.raises(InputError, match="not finite"):
        parse_numbers([0.0, value], "a hand")
