"""`sparc:NAME`: the prompts of the installed sparc-puzzle, word for word.

Its own program is run against a client that notes what it is sent. The package is in the extra
`integrations`; without it these tests are skipped.
"""

import asyncio
import importlib
from types import SimpleNamespace

import pytest
from sample import RECORD

from spatialjax.llm.episodes import LineEpisode
from spatialjax.llm.prompts import line_prompts

TO_THE_END = (0, 3, 3, 3, 3, 0, 0, 0, 0)  # from (1, 0)


@pytest.fixture
def program(monkeypatch, tmp_path):
    """Its module, with the dataset replaced by one record; it leaves pictures where it runs."""
    try:
        program = importlib.import_module("sparc.process_puzzle")
        gym = importlib.import_module("SPaRC_Gym.SPaRC_Gym")
    except ImportError as error:
        pytest.skip(f"sparc-puzzle can't be imported: {error}")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([RECORD])
    monkeypatch.setattr(gym, "load_dataset", lambda *_, **__: SimpleNamespace(to_pandas=frame.copy))
    monkeypatch.chdir(tmp_path)
    return program


class Client:
    """An `AsyncOpenAI` that gives the replies in order and notes the messages."""

    def __init__(self, replies):
        self.seen = []
        self._replies = iter(replies)
        self.chat = SimpleNamespace(completions=self)

    async def create(self, *, messages, **_):
        self.seen.append(messages)
        message = SimpleNamespace(content=next(self._replies), reasoning_content=None)
        return SimpleNamespace(choices=[SimpleNamespace(message=message)])


@pytest.mark.integration
@pytest.mark.parametrize(
    "name", ["gym_step", "gym_step_traceback", "gym_step_paper", "gym_visual", "gym_visual_paper"]
)
def test_stepwise_prompts_are_those_that_its_program_sends(program, name):
    prompts = line_prompts(f"sparc:{name}")
    assert prompts.is_stepwise and prompts.is_visual == ("visual" in name)
    run = program.process_puzzle_step_by_step
    if prompts.is_visual:
        run = program.process_puzzle_step_by_step_visual
    # Up is off the board; left goes back to the start where that is allowed.
    moves = (0, 1, 2, 0, *TO_THE_END) if prompts.traceback else (0, 1, 2, *TO_THE_END)
    replies = [f"Final: {move}" for move in moves]
    client = Client(replies)
    options = {"gym_traceback": prompts.traceback, "prompt_name": name}
    result = asyncio.run(run(client, RECORD, "model", 0.0, 0, **options))

    episode = LineEpisode(RECORD, traceback=prompts.traceback, mode="published")
    for sent, reply in zip(client.seen, replies, strict=True):
        assert prompts.messages(episode) == sent
        episode.reply(reply)
    assert episode.is_over and episode.illegal
    assert episode.score().stored == result["solved"]


@pytest.mark.integration
@pytest.mark.parametrize("name", ["single_shot", "single_shot_paper", "single_shot_visual"])
def test_one_shot_prompts_are_those_that_its_program_sends(program, name):
    prompts = line_prompts(f"sparc:{name}")
    assert not prompts.is_stepwise
    run = program.process_puzzle_visual if prompts.is_visual else program.process_puzzle
    client = Client(["#### (0,0)"])
    asyncio.run(run(client, RECORD, "model", 0.0, 0, prompt_name=name))
    assert client.seen == [prompts.messages(LineEpisode(RECORD))]


@pytest.mark.integration
def test_every_prompt_has_a_name_a_version_and_a_hash(program):
    names = importlib.import_module("sparc.prompts").AVAILABLE_PROMPTS
    found = [line_prompts(f"sparc:{name}").identity() for name in names]
    assert [one["name"] for one in found] == [f"sparc:{name}" for name in names]
    assert len({one["hash"] for one in found}) == len(names)
    with pytest.raises(ValueError, match="prompt is 'single_shoot'; did you mean 'single_shot'"):
        line_prompts("sparc:single_shoot")


def test_without_the_package_an_error_says_how_to_get_it(monkeypatch):
    def missing(module):
        raise ImportError(module)

    monkeypatch.setattr("spatialjax.llm.prompts.sparc.importlib.import_module", missing)
    with pytest.raises(ImportError, match=r"need sparc-puzzle: install it with `pip install 'spat"):
        line_prompts("sparc:single_shot")
