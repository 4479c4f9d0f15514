"""Launch arguments: what is accepted, and the sentences for what is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imove_bringup.arguments import (
    BOOL,
    IMAGE_SIZE,
    POSITIVE,
    SEED,
    TEXT,
    ImageSize,
    LaunchArgument,
    choice,
    describe_arguments,
    parse_values,
    split_tokens,
)
from imove_bringup.ros_launch import unknown_arguments
from imove_core.errors import ImoveError

ARGUMENTS = (
    LaunchArgument("policy", "What drives.", "expert", choice(["expert", "hold"])),
    LaunchArgument("episodes", "How many.", "10", POSITIVE),
    LaunchArgument("seed", "Of the draws.", "0", SEED),
    LaunchArgument("show_target", "Gives it away.", "false", BOOL),
    LaunchArgument("image_size", "Of images.", "224x224", IMAGE_SIZE),
    LaunchArgument("output", "Folder.", "", TEXT),
)


def message_of(texts):
    with pytest.raises(ImoveError) as caught:
        parse_values(ARGUMENTS, texts)
    return str(caught.value)


def test_defaults():
    values = parse_values(ARGUMENTS, {})
    assert values.text("policy") == "expert"
    assert (values.number("episodes"), values.number("seed")) == (10, 0)
    assert values.flag("show_target") is False
    assert values.size("image_size") == ImageSize(224, 224)
    assert values.text("output") == ""


def test_given_values_win():
    values = parse_values(ARGUMENTS, {"episodes": "3", "show_target": "True", "image_size": "640x480"})
    assert values.number("episodes") == 3
    assert values.flag("show_target") is True
    assert values.size("image_size") == (640, 480)


def test_unknown_name():
    assert message_of({"episode": "3"}) == (
        "unknown launch argument 'episode'; allowed: episodes, image_size, output, policy, seed, show_target"
    )


@pytest.mark.parametrize(
    ("name", "text", "allowed"),
    [
        ("policy", "openvla", "one of expert, hold"),
        ("policy", "", "one of expert, hold"),
        ("episodes", "0", "a whole number of at least 1"),
        ("episodes", "-1", "a whole number of at least 1"),
        ("episodes", "1.5", "a whole number of at least 1"),
        ("episodes", "1_000", "a whole number of at least 1"),
        ("episodes", "\u0663", "a whole number of at least 1"),
        ("episodes", "", "a whole number of at least 1"),
        ("seed", "-1", "a whole number of at least 0"),
        ("seed", str(2**63), "a whole number of at least 0"),
        ("show_target", "maybe", "true or false"),
        ("show_target", "1", "true or false"),
        ("image_size", "224", "WIDTHxHEIGHT in pixels, each 16 to 4096, e.g. 224x224"),
        ("image_size", "0x224", "WIDTHxHEIGHT in pixels, each 16 to 4096, e.g. 224x224"),
        ("image_size", "224x224x3", "WIDTHxHEIGHT in pixels, each 16 to 4096, e.g. 224x224"),
    ],
)
def test_wrong_value(name, text, allowed):
    assert message_of({name: text}) == f"launch argument {name}:={text} must be {allowed}"


@given(st.text())
def test_any_text_is_a_value_or_a_sentence(text):
    for argument in ARGUMENTS:
        try:
            value = argument.parse(text)
        except ImoveError as error:
            assert str(error).startswith(f"launch argument {argument.name}:={text} must be ")
        else:
            assert isinstance(value, str | int | bool | tuple)


@given(st.integers(min_value=0, max_value=2**63 - 1))
def test_every_seed_is_kept(seed):
    assert parse_values(ARGUMENTS, {"seed": str(seed)}).number("seed") == seed


@given(st.from_regex(r"[a-z_]+", fullmatch=True), st.text())
def test_tokens_keep_the_value_as_it_is(name, value):
    assert split_tokens([f"{name}:={value}"]) == {name: value}


def test_last_token_of_a_name_wins():
    assert split_tokens(["seed:=1", "seed:=2"]) == {"seed": "2"}


@pytest.mark.parametrize("token", ["seed", "seed=1", "seed:1", ":=1", ""])
def test_malformed_token(token):
    with pytest.raises(ImoveError, match="must have the form name:=value"):
        split_tokens([token])


def test_every_default_is_allowed_and_every_argument_described():
    text = describe_arguments(ARGUMENTS)
    for argument in ARGUMENTS:
        argument.parse(argument.default)
        assert f"\n    {argument.name}\n        {argument.description}\n" in text
    assert "default: (empty)" in text


def test_asking_for_another_type_is_an_error():
    with pytest.raises(TypeError, match="launch argument seed is a int, not a str"):
        parse_values(ARGUMENTS, {}).text("seed")


def test_unknown_names_on_a_command_line():
    tokens = ["seed:=1", "sed:=2", "policy:=a:=b", "launch-prefix:=gdb", "file.launch.py"]
    assert unknown_arguments(tokens, ARGUMENTS) == ["sed"]
