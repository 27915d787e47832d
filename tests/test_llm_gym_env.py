"""GymEnv with scripted models: CartPole, a text game of the old kind, our own environments."""

import asyncio
import itertools
import json
import random
import re
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from drawn import solved_record
from model_server import KINDS, Fault, ModelServer, at, share
from sliding_boards import EXAMPLE, solved_config

import spatialjax.wrappers.gymnasium  # noqa: F401 (registers the ids)
from spatialjax.data.board import STEPS
from spatialjax.data.records import solution_paths
from spatialjax.data.sliding import config_board, solution_commands
from spatialjax.llm import EpisodicSumRubric, GymEnv, ModelError, OpenAIClient, Reply, Rubric
from spatialjax.llm.client import Usage
from spatialjax.sliding.commands import command_in_reply, play_command
from spatialjax.sliding.text import board_text
from spatialjax.sliding.types import Result


class Scripted:
    """A model that answers as a function of the conversation says."""

    def __init__(self, answer):
        self.answer = answer
        self.calls = []

    async def chat(self, messages, *, model, **sampling):
        self.calls.append((list(messages), model, sampling))
        await asyncio.sleep(0)
        return Reply(self.answer(messages), usage=Usage(len(messages), 1))

    async def complete(self, prompt, *, model, **sampling):
        self.calls.append((prompt, model, sampling))
        return Reply(self.answer(prompt))


def always(*answers):
    """A model that gives these answers in turn, whatever it is asked; the last one for ever."""
    rest = list(answers)
    return Scripted(lambda messages: rest.pop(0) if len(rest) > 1 else rest[0])


def evaluate(env, client, num_examples=1, **options):
    return asyncio.run(env.evaluate(client, "m", num_examples, **options))


def play(env, client, **options):
    """The state of one episode."""
    (state,) = evaluate(env, client, **options)["outputs"]
    return state


# ------------------------------------------------------------------------------------ CartPole


def push(text):
    return {"left": 0, "right": 1}[text.strip().lower()]


def cart_text(obs):
    return f"Pole at {obs[2]:.4f}, turning by {obs[3]:.4f}. left or right?"


def balance(messages):
    angle, turn = map(float, re.findall(r"-?\d+\.\d+", messages[-1]["content"]))
    return " Right\n" if angle + turn > 0 else "left"


def cart_pole(**options):
    defaults = {
        "env_cls": gymnasium.make,
        "env_kwargs": {"id": "CartPole-v1"},
        "action_parser": push,
        "obs_to_text": cart_text,
        "num_train_episodes": 100,
        "num_eval_episodes": 5,
        "max_episode_steps": 60,
    }
    return GymEnv(**defaults | options)


def cart_return(seed, answers, limit):
    """What these answers bring without GymEnv, in steps of reward 1."""
    env = gymnasium.make("CartPole-v1")
    env.reset(seed=seed)
    for count, answer in enumerate(answers, start=1):
        _, _, terminated, truncated, _ = env.step(push(answer))
        if terminated or truncated or count == limit:
            return float(count)
    raise AssertionError("too few answers")


def test_cart_pole_balanced_up_to_the_limit():
    """The last action that the limit allows is stepped: 60 steps are 60 rewards."""
    model = Scripted(balance)
    results = evaluate(cart_pole(), model, 3, sampling_args={"temperature": 0})
    metadata, outputs = results["metadata"], results["outputs"]
    assert metadata["avg_reward"] == 60.0
    assert metadata["avg_metrics"] == {"sum_step_rewards": 60.0}
    assert (metadata["num_examples"], metadata["num_errors"], metadata["model"]) == (3, 0, "m")
    assert [state["answer"] for state in outputs] == ["100", "101", "102"]
    assert [state["example_id"] for state in outputs] == [0, 1, 2]
    for state in outputs:
        assert state["reward"] == 60.0
        assert state["stop_condition"] == "max_episode_steps"
        assert not state["gym_done"]
        assert [step["reward"] for step in state["trajectory"]] == [1.0] * 60
        assert len(state["completion"]) == 120
    assert len(model.calls) == 180
    assert all(call[1:] == ("m", {"temperature": 0}) for call in model.calls)
    prompt_tokens = 3 * sum(range(1, 120, 2))
    assert metadata["usage"] == {"prompt_tokens": prompt_tokens, "completion_tokens": 180}


def test_a_limit_of_one_step():
    state = play(cart_pole(max_episode_steps=1), always("left"))
    assert (state["reward"], state["stop_condition"]) == (1.0, "max_episode_steps")


def test_cart_pole_at_random_ends_as_without_gym_env():
    rng = random.Random(3)
    answers = [rng.choice(["left", "right"]) for _ in range(200)]
    env = cart_pole(num_eval_episodes=8, max_episode_steps=25, seed=7, num_train_episodes=0)
    for state in evaluate(env, Scripted(lambda messages: answers[len(messages) // 2]), 8)[
        "outputs"
    ]:
        seed = int(state["answer"])
        assert 7 <= seed < 15
        assert state["reward"] == cart_return(seed, answers, 25)
        steps = len(state["trajectory"])
        assert state["stop_condition"] == ("terminated" if steps < 25 else "max_episode_steps")
        obs, _ = gymnasium.make("CartPole-v1").reset(seed=seed)
        assert state["prompt"] == [{"role": "user", "content": cart_text(obs)}]


def test_cart_pole_truncated_by_itself():
    env = cart_pole(env_kwargs={"id": "CartPole-v1", "max_episode_steps": 4})
    state = play(env, Scripted(balance))
    assert (state["reward"], state["stop_condition"], state["gym_done"]) == (4.0, "truncated", True)


# ------------------------------------------------------------------- a text game of the old kind


class GuessGame:
    """Guess a number from 1 to 100; `step` returns four values, `reset` the observation alone."""

    made = []

    def __init__(self, tries=7):
        self.tries = tries
        self.is_closed = False
        self.made.append(self)

    def reset(self, seed):
        self.secret = random.Random(seed).randint(1, 100)
        self.left = self.tries
        return {"hint": "start", "left": self.left}

    def step(self, action):
        if action < 0:
            raise RuntimeError("the game is broken")
        self.left -= 1
        hint = "right" if action == self.secret else "low" if action < self.secret else "high"
        done = hint == "right" or not self.left
        reward = np.float32(1.0 if hint == "right" else -0.125)
        return {"hint": hint, "left": self.left}, reward, done, {"secret": self.secret}

    def close(self):
        self.is_closed = True


def bisect(messages):
    """Guess by bisection, from what was said so far."""
    low, high = 1, 100
    for said, answer in zip(messages, messages[1:], strict=False):
        if said["role"] == "assistant" and said["content"].isdecimal():
            guess = int(said["content"])
            low = guess + 1 if "low" in answer["content"] else low
            high = guess - 1 if "high" in answer["content"] else high
    return str((low + high) // 2)


def guess_env(**options):
    return GymEnv(**{"env_cls": GuessGame, "action_parser": int} | options)


def test_the_guessing_game():
    results = evaluate(guess_env(), Scripted(bisect), -1)
    assert len(results["outputs"]) == 20
    for state in results["outputs"]:
        steps = state["trajectory"]
        assert state["reward"] == 1.0 - 0.125 * (len(steps) - 1)
        assert (state["stop_condition"], state["gym_done"]) == ("terminated", True)
        secret = random.Random(int(state["answer"])).randint(1, 100)
        assert steps[-1]["completion"] == [{"role": "assistant", "content": str(secret)}]
        assert all(step["extras"]["gym_info"] == {"secret": secret} for step in steps)
    rewards = [state["reward"] for state in results["outputs"]]
    assert results["metadata"]["avg_reward"] == pytest.approx(np.mean(rewards))
    assert results["metadata"]["env_id"] == "GuessGame"


def test_the_conversation():
    """What the model is sent at each step, and what is noted of it."""
    few_shot = [{"role": "user", "content": "left: 1"}, {"role": "assistant", "content": "50"}]
    model = always("50", "50", "1")
    env = guess_env(
        env_kwargs={"tries": 3},
        system_prompt="Guess.",
        few_shot=few_shot,
        obs_to_text=lambda obs: f"{obs['hint']}: {obs['left']}",
        seed=5,
    )
    state = play(env, model)
    secret = random.Random(1005).randint(1, 100)
    hint = "low" if secret > 50 else "high"
    prompt = [{"role": "system", "content": "Guess."}, *few_shot]
    prompt.append({"role": "user", "content": "start: 3"})
    completion = [
        {"role": "assistant", "content": "50"},
        {"role": "user", "content": f"{hint}: 2"},
        {"role": "assistant", "content": "50"},
        {"role": "user", "content": f"{hint}: 1"},
        {"role": "assistant", "content": "1"},
        {"role": "user", "content": "low: 0"},
    ]
    assert secret not in (1, 50)
    assert state["prompt"] == prompt
    assert state["completion"] == completion
    sent = [prompt, prompt + completion[:2], prompt + completion[:4]]
    assert [messages for messages, _, _ in model.calls] == sent
    assert [step["prompt"] for step in state["trajectory"]] == sent
    assert [step["completion"] for step in state["trajectory"]] == [
        completion[i : i + 1] for i in (0, 2, 4)
    ]
    assert state["usage"] == Usage(4 + 6 + 8, 3)


def test_text_instead_of_messages():
    model = always("50", "51")
    env = guess_env(
        message_type="completion",
        env_kwargs={"tries": 2},
        system_prompt="Guess.",
        few_shot=[{"role": "user", "content": "an example"}],
        obs_to_text=lambda obs: f"left {obs['left']}",
    )
    state = play(env, model)
    assert state["prompt"] == "Guess.\nan example\nleft 2\n"
    assert state["completion"] == "50\nleft 1\n51\nleft 0\n"
    assert [sent for sent, _, _ in model.calls] == [
        "Guess.\nan example\nleft 2\n",
        "Guess.\nan example\nleft 2\n50\nleft 1\n",
    ]
    assert [step["completion"] for step in state["trajectory"]] == ["50", "51"]


def test_a_reply_that_is_no_action():
    """It ends the episode, with reward 0 for the step; what was won before stays won."""
    state = play(guess_env(), always("200", "no idea"))
    assert [step["reward"] for step in state["trajectory"]] == [-0.125, 0.0]
    assert "gym_info" in state["trajectory"][0]["extras"]
    assert state["trajectory"][1]["extras"] == {}
    assert state["reward"] == -0.125
    assert (state["stop_condition"], state["gym_done"]) == ("parse_error", True)
    message = "Action Parsing Error: invalid literal for int() with base 10: 'no idea'"
    assert state["completion"][-1] == {"role": "user", "content": message}
    assert state["error"] is None


def test_without_a_parser_the_reply_is_the_action():
    class Echo:
        def reset(self, *, seed):
            return (seed, "no dict"), {"info": True}

        def step(self, action):
            return action, 0.5, False, action == "stop", None

    state = play(GymEnv(Echo, seed=3, num_train_episodes=0), always("go", "stop"))
    assert [message["content"] for message in state["prompt"] + state["completion"]] == [
        "(3, 'no dict')", "go", "go", "stop", "stop"
    ]  # fmt: skip
    assert (state["reward"], state["stop_condition"]) == (1.0, "truncated")
    assert state["trajectory"][0]["extras"]["gym_info"] is None


def test_environments_are_closed_and_not_shared():
    GuessGame.made.clear()
    results = evaluate(guess_env(), Scripted(bisect), 4, rollouts_per_example=3, max_concurrent=5)
    assert len(GuessGame.made) == 12
    assert all(game.is_closed for game in GuessGame.made)
    assert [state["example_id"] for state in results["outputs"]] == [
        i for i in range(4) for _ in range(3)
    ]
    assert all("gym_env" not in state for state in results["outputs"])


# ------------------------------------------------------------------------------------- rubrics


def test_own_rubrics():
    """Functions ask for what they need, the environment too; weights; awaited ones; weight 0."""

    async def tries(trajectory):
        await asyncio.sleep(0)
        return len(trajectory)

    def won(state, completion, **kwargs):
        assert kwargs["answer"] == state["answer"]
        return "right" in completion[-1]["content"]

    def is_open(gym_env):
        return not gym_env.is_closed

    rubric = EpisodicSumRubric(weight=2.0)
    rubric.add_reward_func(tries, weight=-0.5)
    rubric.add_reward_func(won, weight=0.0)
    rubric.add_reward_func(is_open)
    state = play(guess_env(rubric=rubric), Scripted(bisect))
    count = len(state["trajectory"])
    summed = 1.0 - 0.125 * (count - 1)
    expected = {"sum_step_rewards": summed, "tries": count, "won": 1.0, "is_open": 1.0}
    assert state["metrics"] == expected
    assert state["reward"] == 2.0 * summed - 0.5 * count + 1.0

    rubric = Rubric([won, tries])
    assert play(guess_env(rubric=rubric), Scripted(bisect))["reward"] == 1.0 + count


def test_bad_rubrics():
    def one():
        return 1

    with pytest.raises(ValueError, match="weights has 1 entries for 0 funcs"):
        Rubric([], [1.0])
    with pytest.raises(ValueError, match="has a function 'one' already"):
        Rubric([one, one])


# ---------------------------------------------------------------------------------- subclasses


class PoliteEnv(GymEnv):
    """Shows other texts, and ends the game when the model says so."""

    def obs_to_text(self, obs):
        return f"Dear model: {obs['hint']}"

    async def env_response(self, messages, state, **kwargs):
        if messages[-1]["content"] == "resign":
            state["gym_done"] = True
            state["trajectory"][-1]["reward"] = -10.0
            return self.wrap_response("Farewell")
        shown = await super().env_response(messages, state, **kwargs)
        state["trajectory"][-1]["extras"]["seen"] = state["gym_env"].left
        return shown


def test_subclassed_hooks():
    state = play(PoliteEnv(GuessGame, action_parser=int), always("200", "resign"))
    assert state["prompt"][-1]["content"] == "Dear model: start"
    assert [message["content"] for message in state["completion"]] == [
        "200", "Dear model: high", "resign", "Farewell"
    ]  # fmt: skip
    assert state["trajectory"][0]["extras"]["seen"] == 6
    assert (state["reward"], state["stop_condition"]) == (-10.125, "done")


def test_the_reply_that_a_subclass_hands_on_is_parsed():
    class Thinking(GymEnv):
        async def env_response(self, messages, state, **kwargs):
            text = messages[-1]["content"].rpartition("</think>")[2]
            last = {"role": "assistant", "content": text}
            return await super().env_response([*messages[:-1], last], state, **kwargs)

    env = Thinking(GuessGame, {"tries": 1}, int)
    state = play(env, always("<think>50?</think> 200"))
    assert state["trajectory"][0]["extras"]["gym_info"]["secret"] != 200
    assert state["stop_condition"] == "terminated"
    assert state["trajectory"][0]["completion"][0]["content"] == "<think>50?</think> 200"


def test_data_sets():
    env = guess_env(num_train_episodes=3, num_eval_episodes=2, seed=9)
    assert env.dataset.column_names == ["question", "answer"]
    assert env.dataset["answer"] == ["9", "10", "11"]
    assert env.eval_dataset["answer"] == ["12", "13"]
    assert env.eval_dataset[0]["question"] == "{'hint': 'start', 'left': 7}"
    train, evaluation = guess_env(num_train_episodes=0, num_eval_episodes=1).gym_to_hf()
    assert (len(train), len(evaluation)) == (0, 1)


def test_own_rows():
    class Chosen(GymEnv):
        def gym_to_hf(self):
            rows = [{"question": f"Game {seed}", "answer": str(seed)} for seed in (4, 8)]
            return rows, None

    outputs = evaluate(Chosen(GuessGame, action_parser=int), Scripted(bisect), -1)["outputs"]
    assert [state["prompt"][-1]["content"] for state in outputs] == ["Game 4", "Game 8"]
    for state, seed in zip(outputs, (4, 8), strict=True):
        secret = random.Random(seed).randint(1, 100)
        assert state["trajectory"][0]["extras"]["gym_info"] == {"secret": secret}


# ---------------------------------------------------------------------------------- what breaks


def test_a_failed_call_costs_no_other_episode():
    """It is told apart from a wrong answer: no reward, and no part in the average."""

    numbers = itertools.count(1)

    def answer(messages):
        if next(numbers) == 9:
            raise ModelError("busy", can_retry=True)
        return bisect(messages)

    results = evaluate(guess_env(num_eval_episodes=6), Scripted(answer), -1)
    (broken,) = [state for state in results["outputs"] if state["reward"] is None]
    scored = [state["reward"] for state in results["outputs"] if state is not broken]
    assert broken["stop_condition"] == "error"
    assert str(broken["error"]) == "busy"
    assert len(broken["trajectory"]) == 1  # six episodes take turns
    assert results["metadata"]["num_errors"] == 1
    assert results["metadata"]["avg_reward"] == pytest.approx(np.mean(scored))


def test_nothing_to_score_is_an_error():
    def answer(messages):
        raise ModelError("no such model", can_retry=False)

    GuessGame.made.clear()
    with pytest.raises(ModelError, match="no such model"):
        evaluate(guess_env(), Scripted(answer), 3)
    assert len(GuessGame.made) == 3
    assert all(game.is_closed for game in GuessGame.made)


def test_an_action_that_step_raises_for(caplog):
    """The model is told, and scored as for a reply that is no action."""
    state = play(guess_env(), always("200", "-1"))
    assert (state["stop_condition"], state["gym_done"]) == ("step_error", True)
    assert state["completion"][-1]["content"] == "Action Error: the game is broken"
    assert [step["reward"] for step in state["trajectory"]] == [-0.125, 0.0]
    assert isinstance(state["error"], RuntimeError)
    assert "step(-1) raised RuntimeError('the game is broken')" in caplog.text


@pytest.mark.parametrize("result", [(1, 2, 3), None])
def test_a_step_that_returns_something_else(result):
    class Odd:
        def reset(self, seed):
            return seed

        def step(self, action):
            return result

    with pytest.raises(TypeError, match=r"step returned (3 values|None); it must return \(obs"):
        play(GymEnv(Odd), always("go"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"message_type": "text"}, "message_type is 'text'"),
        ({"max_episode_steps": 0}, "max_episode_steps is 0; it must be a whole number from 1"),
        ({"num_eval_episodes": -1}, "num_eval_episodes is -1; it must be a whole number from 0"),
        ({"seed": "0"}, "seed is '0'; it must be a whole number from 0"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        guess_env(**options)


@pytest.mark.parametrize(
    ("options", "num_examples", "message"),
    [
        ({}, 21, "num_examples is 21; it must be from 1 to the 20 episodes"),
        ({}, 0, "num_examples is 0; it must be from 1"),
        ({"num_train_episodes": 0, "num_eval_episodes": 0}, -1, "there are no episodes"),
    ],
)
def test_too_few_episodes(options, num_examples, message):
    with pytest.raises(ValueError, match=message):
        evaluate(guess_env(**options), Scripted(bisect), num_examples)


def test_rows_without_a_seed():
    class Wrong(GymEnv):
        def gym_to_hf(self):
            return [], [{"question": "q", "answer": "A"}]

    with pytest.raises(ValueError, match="row 0 of gym_to_hf has the answer 'A'; it must be a see"):
        evaluate(Wrong(GuessGame), Scripted(bisect))


def test_what_is_no_client():
    with pytest.raises(TypeError, match="client is a function"):
        evaluate(guess_env(), bisect)


def test_importing_it_loads_little():
    code = "import sys, spatialjax.llm; spatialjax.llm.GymEnv; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "spatialjax.llm.gym_env" in loaded
    assert not {"jax", "numpy", "gymnasium", "datasets", "verifiers"} & set(loaded)


# ------------------------------------------------------------------------------------ a server


@pytest.mark.parametrize("message_type", ["chat", "completion"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_model_behind_a_server(message_type, stream):
    def guess(request):
        return str(20 + len(server.requests))

    env = guess_env(env_kwargs={"tries": 3}, message_type=message_type)
    with ModelServer(guess, at({2: Fault("empty")})) as server:
        client = OpenAIClient(server.base_url, stream=stream)
        (state,) = env.evaluate_sync(client, "m", 1, sampling_args={"top_p": 1})["outputs"]
    assert [step["reply"].text for step in state["trajectory"]] == ["21", "22", ""]
    assert (state["reward"], state["stop_condition"]) == (-0.25, "parse_error")
    assert state["usage"].completion_tokens == 2
    path = "chat/completions" if message_type == "chat" else "completions"
    assert {request["path"] for request in server.requests} == {f"/v1/{path}"}
    assert {request["top_p"] for request in server.requests} == {1}


class Retrying:
    """A client that calls another until it answers."""

    def __init__(self, client):
        self.client = client
        self.failed = 0

    async def chat(self, messages, *, model, **sampling):
        while True:
            try:
                return await self.client.chat(messages, model=model, **sampling)
            except ModelError as error:
                assert error.can_retry
                self.failed += 1
                await asyncio.sleep(error.retry_after or 0.001)


def test_a_client_that_retries_hides_the_faults():
    """Three calls of ten fail; every episode ends as it does without faults."""
    faults = share(0.3, tuple(fault for fault in KINDS if fault.kind != "empty"))
    env = guess_env()
    with ModelServer(lambda request: bisect(request["messages"]), faults) as server:
        client = Retrying(OpenAIClient(server.base_url))
        faulty = evaluate(env, client, -1)
    expected = evaluate(env, Scripted(bisect), -1)
    assert client.failed > 10
    for one, other in zip(faulty["outputs"], expected["outputs"], strict=True):
        assert one["completion"] == other["completion"]
        assert one["reward"] == other["reward"]


# -------------------------------------------------------------------------- our own environments

LINES = [
    solved_record("S + +\n+ N +\n+ + E", "open"),
    solved_record("S + + + +\n+ N + N +\n+ . + + +\n+ N + N +\n+ + + + E", "gap"),
]


def next_step(messages):
    """Draw the shortest solution of the board that was shown first."""
    shown = json.loads(messages[0]["content"])
    (record,) = [record for record in LINES if record["puzzle_array"] == shown]
    path = min(solution_paths(record), key=len)
    taken = len(messages) // 2
    (x, y), (to_x, to_y) = path[taken : taken + 2]
    return f"I go on.\nFinal: {STEPS.index((to_x - x, to_y - y))}"


def final_digit(text):
    return int(re.search(r"Final: ([0-3])\s*$", text)[1])


def test_line_puzzles():
    env = GymEnv(
        gymnasium.make,
        {"id": "spatialjax/SpatialGym-v0", "df_name": LINES, "observation": "SPaRC"},
        action_parser=final_digit,
        num_train_episodes=0,
        num_eval_episodes=6,
    )
    outputs = evaluate(env, Scripted(next_step), -1)["outputs"]
    ids = set()
    for state in outputs:
        *before, last = state["trajectory"]
        info = last["extras"]["gym_info"]
        ids.add(info["puzzle_id"])
        assert info["success"]
        assert info["path_length"] == len(state["trajectory"])
        assert state["stop_condition"] == "terminated"
        assert [step["reward"] for step in before] == [0.01] * len(before)
        assert state["reward"] == pytest.approx(1 + 0.01 * len(before))
    assert ids == {"open", "gap"}

    for answer, stop in [("Final: 1", "max_episode_steps"), ("Final: 7", "parse_error")]:
        env.max_episode_steps = 4
        state = play(env, always(answer))
        assert (state["stop_condition"], state["reward"]) == (stop, 0.0)


class SlidingGame:
    """A sliding puzzle played by commands."""

    def __init__(self, configs):
        self.boards = [config_board(config) for config in configs]

    def reset(self, *, seed):
        self.board = self.boards[seed % len(self.boards)]
        return self.board, {}

    def step(self, action):
        result, self.board = play_command(self.board, action)
        reward = {Result.MOVED: -0.1, Result.DONE_WRONG: -1.0}.get(result, -0.2)
        return self.board, reward + self.board.solved, self.board.solved, False, {"result": result}


def where_all_stands(board):
    return f"{board_text(board)}\n\nGoal:\n{board_text(board.at_goal())}"


def test_sliding_puzzles_by_commands():
    configs = [EXAMPLE, solved_config(random.Random(5), 3, 4)]
    solutions = {
        where_all_stands(config_board(config)): [
            command for command in solution_commands(config) if command.startswith("move")
        ]
        for config in configs
    }

    def next_command(messages):
        command = solutions[messages[0]["content"]][len(messages) // 2]
        return f"Thought: clear.\n**Action:** {command.upper()}"

    env = GymEnv(
        SlidingGame,
        {"configs": configs},
        action_parser=command_in_reply,
        obs_to_text=where_all_stands,
        num_train_episodes=10,
        num_eval_episodes=2,
    )
    outputs = evaluate(env, Scripted(next_command), -1)["outputs"]
    for state, solution in zip(outputs, solutions.values(), strict=True):
        assert len(state["trajectory"]) == len(solution)
        assert state["reward"] == pytest.approx(1 - 0.1 * len(solution))
        assert state["stop_condition"] == "terminated"
        here, goal = state["completion"][-1]["content"].split("\n\nGoal:\n")
        assert here == goal

    state = play(env, always("action: move red cube right", "I give up"))
    results = [step["extras"]["gym_info"]["result"] for step in state["trajectory"][:2]]
    assert results == [Result.OCCUPIED, Result.ILLEGAL_COMMAND]
