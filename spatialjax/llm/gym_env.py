"""GymEnv: any class with `reset(seed)` and `step(action)`, played by a language model.

Usage:

    import gymnasium
    from spatialjax.llm import GymEnv, OpenAIClient

    def parse_action(text):
        return {"left": 0, "right": 1}[text.strip().lower()]

    env = GymEnv(
        env_cls=gymnasium.make,
        env_kwargs={"id": "CartPole-v1"},
        action_parser=parse_action,
        obs_to_text=lambda obs: f"Cart at {obs[0]:.2f}, pole at {obs[2]:.2f}. left or right?",
        max_episode_steps=100,
        system_prompt="Balance the pole. Answer with one word.",
    )
    results = await env.evaluate(OpenAIClient("http://127.0.0.1:8000/v1"), "model", num_examples=5)
    results["metadata"]["avg_reward"]

It has the arguments, the hooks and the state keys that `GymEnv` of the package verifiers had until
its version 0.3, and needs no other package.

An episode: the model is shown the first observation as text, its reply is parsed into an action,
the environment steps, and the model is shown the next observation; until the environment says
`terminated` (or `done`) or `truncated`, or `max_episode_steps` replies were stepped, or a reply is
no action. A reply that the parser raises for, or with which the environment's `step` raises, ends
the episode: the step has reward 0, and the text that would have been the next observation says why.

The state of an episode, a dict:

| key | holds |
|---|---|
| `example_id`, `answer` | number of the episode, and its seed as text |
| `prompt` | messages before the first reply: system prompt, few-shot messages, first observation |
| `completion` | all messages after that; the last one is the environment's |
| `trajectory` | a dict a reply, see below |
| `gym_env` | the environment; until the episode is scored, then it is closed and taken out |
| `gym_done` | whether the environment or a bad reply ended the episode |
| `stop_condition` | "terminated", "truncated", "max_episode_steps", "parse_error", "step_error"; |
| | "done" if an own `env_response` set `gym_done`; "error" if the episode broke |
| `reward`, `metrics` | from the rubric; None and {} if the episode broke |
| `error` | the exception of "step_error" and "error", else None |
| `usage` | tokens of all calls (`client.Usage`) |

| key of `trajectory[i]` | holds |
|---|---|
| `prompt`, `completion` | messages the model was sent, and its reply as a list of one message |
| `reward` | of the step, 0 for a reply that is no action |
| `reply` | the whole answer (`client.Reply`) |
| `extras` | `{"gym_info": info}` of the step; {} for a reply that is no action |

With `message_type="completion"` prompts, completions and responses are texts instead of lists.

Differences from verifiers 0.3.1: the last allowed action is stepped (there it is dropped, so that
a limit of 60 gave 59 steps); when an episode is over the model isn't asked once more; nothing is
reset at construction; a call to the model that fails isn't scored with 0, but left out of the
averages and counted; `info` that is no dict is allowed, and a tuple is taken for `(obs, info)`
only if its second entry is a dict.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any, Literal

from spatialjax.core.options import require_one_of, require_positive
from spatialjax.llm.client import ChatClient, Message, Reply, Usage, as_client
from spatialjax.llm.gym_calls import close, observation_of, unpack_step
from spatialjax.llm.rubric import EpisodicSumRubric, Rubric, State

_log = logging.getLogger(__name__)

MessageType = Literal["chat", "completion"]
Messages = list[Message] | str
"""A conversation: a list of messages, or one text with `message_type="completion"`."""

MAX_EPISODE_STEPS = 1000
"""Steps of an episode where no other limit is given."""


class GymEnv:
    """Plays a Gym-style environment with a language model; see the module docstring.

    Subclasses may replace `obs_to_text`, `env_response` and `gym_to_hf`.
    """

    def __init__(
        self,
        env_cls: Callable[..., Any],
        env_kwargs: Mapping[str, Any] | None = None,
        action_parser: Callable[[str], Any] | None = None,
        obs_to_text: Callable[[Any], str] | None = None,
        num_train_episodes: int = 1000,
        num_eval_episodes: int = 20,
        max_episode_steps: int | None = None,
        seed: int = 0,
        system_prompt: str | None = None,
        few_shot: Sequence[Message] | None = None,
        rubric: Rubric | None = None,
        message_type: MessageType = "chat",
    ) -> None:
        """Set up the runner; no environment is made yet.

        Args:
          env_cls: class, or function, that makes an environment: `reset(seed=...)` returns an
            observation or `(observation, info)`; `step(action)` returns `(observation, reward,
            done, info)` or `(observation, reward, terminated, truncated, info)`.
          env_kwargs: its keyword arguments. Every episode makes an environment of its own.
          action_parser: turns a reply into an action, and raises for one that holds none; what it
            raises is told the model. Without it the reply itself is the action.
          obs_to_text: turns an observation into what the model is shown; `str` without it.
          num_train_episodes: episodes with the seeds `seed`, `seed + 1`, ...
          num_eval_episodes: episodes with the seeds that follow.
          max_episode_steps: steps after which an episode ends; `MAX_EPISODE_STEPS` if None.
          seed: of the first episode.
          system_prompt: first message of every conversation.
          few_shot: messages between that and the first observation.
          rubric: scores episodes; `EpisodicSumRubric()` if None.
          message_type: "chat", or "completion" for models that go on with a text.

        Raises:
          ValueError: if an argument has a value that is not allowed.
        """
        require_one_of("message_type", message_type, ("chat", "completion"))
        if max_episode_steps is None:
            max_episode_steps = MAX_EPISODE_STEPS
        require_positive("max_episode_steps", max_episode_steps)
        for option, value in (
            ("num_train_episodes", num_train_episodes),
            ("num_eval_episodes", num_eval_episodes),
            ("seed", seed),
        ):
            if type(value) is not int or value < 0:
                raise ValueError(f"{option} is {value!r}; it must be a whole number from 0")
        self.env_cls = env_cls
        self.env_kwargs = dict(env_kwargs or {})
        self.action_parser = action_parser or (lambda text: text)
        self.num_train_episodes = num_train_episodes
        self.num_eval_episodes = num_eval_episodes
        self.max_episode_steps = max_episode_steps
        self.seed = seed
        self.system_prompt = system_prompt
        self.few_shot = list(few_shot or ())
        self.rubric = rubric or EpisodicSumRubric()
        self.message_type: MessageType = message_type
        self._obs_to_text = obs_to_text or str

    def obs_to_text(self, obs: Any) -> str:
        """Turn an observation into what the model is shown."""
        return self._obs_to_text(obs)

    def gym_to_hf(self) -> tuple[Any, Any]:
        """Return the training and the evaluation episodes as data sets (extra `data`).

        Each row has `question`, the first observation as text, and `answer`, the seed as text.
        Where a subclass replaces this, `evaluate` plays its rows; lists of such dicts will do.
        """
        from datasets import Dataset

        env = self.env_cls(**self.env_kwargs)
        try:
            questions = [
                self.obs_to_text(observation_of(env.reset(seed=int(row["answer"]))))
                for row in self._rows()
            ]
        finally:
            close(env)
        answers = [row["answer"] for row in self._rows()]
        cut = self.num_train_episodes
        return (
            Dataset.from_dict({"question": questions[:cut], "answer": answers[:cut]}),
            Dataset.from_dict({"question": questions[cut:], "answer": answers[cut:]}),
        )

    @cached_property
    def dataset(self) -> Any:
        """The training episodes, of `gym_to_hf`."""
        return self._datasets[0]

    @cached_property
    def eval_dataset(self) -> Any:
        """The evaluation episodes, of `gym_to_hf`."""
        return self._datasets[1]

    async def env_response(self, messages: Messages, state: State, **kwargs: Any) -> Messages:
        """Step the environment with the model's last reply; return what the model is shown next.

        Sets `gym_done` and `stop_condition` if that ends the episode, and in the last entry of
        `trajectory` the reward and `extras["gym_info"]`.

        Args:
          messages: the conversation, the reply at its end.
          state: the episode.
        """
        step = state["trajectory"][-1]
        said = step["completion"] if isinstance(messages, str) else messages[-1]["content"]
        try:
            action = self.action_parser(said)
        except Exception as error:
            _end(state, "parse_error")
            return self.wrap_response(f"Action Parsing Error: {error}")
        try:
            stepped = state["gym_env"].step(action)
        except Exception as error:
            _log.warning("episode %s: step(%r) raised %r", state["answer"], action, error)
            _end(state, "step_error")
            state["error"] = error
            return self.wrap_response(f"Action Error: {error}")

        obs, reward, terminated, truncated, info = unpack_step(stepped)
        step["reward"] = reward
        step["extras"]["gym_info"] = info
        if terminated or truncated:
            _end(state, "terminated" if terminated else "truncated")
        return self.wrap_response(self.obs_to_text(obs))

    def wrap_response(self, text: str) -> Messages:
        """Return a text of the environment in the form of the conversation."""
        if self.message_type == "completion":
            return f"\n{text}\n"
        return [{"role": "user", "content": text}]

    async def rollout(
        self,
        client: Any,
        model: str,
        row: Mapping[str, Any],
        sampling_args: Mapping[str, Any] | None = None,
    ) -> State:
        """Play and score one episode, and close its environment.

        What breaks the episode, above all a call to the model that fails, is not raised but left in
        `error`: then the episode has no reward, and is as far as it came.

        Args:
          client: a `ChatClient`, or an `openai.AsyncOpenAI`.
          model: name of the model.
          row: `answer`, the seed as text; `question`, if the first observation is to be shown in
            another form than `obs_to_text` gives it.
          sampling_args: fields of every request, such as `temperature`.
        """
        client = as_client(client)
        state: State = {
            "example_id": row.get("example_id", 0),
            "answer": row["answer"],
            "prompt": [],
            "completion": [],
            "trajectory": [],
            "gym_env": None,
            "gym_done": False,
            "stop_condition": None,
            "reward": None,
            "metrics": {},
            "error": None,
            "usage": Usage(),
        }
        try:
            self._start(row, state)
            await self._play(client, model, state, dict(sampling_args or {}))
            await self.rubric.score(state)
        except Exception as error:
            _log.warning("episode %s broke: %r", row["answer"], error)
            state |= {"stop_condition": "error", "error": error}
        finally:
            close(state.pop("gym_env"))
        return state

    async def evaluate(
        self,
        client: Any,
        model: str,
        num_examples: int = -1,
        rollouts_per_example: int = 1,
        sampling_args: Mapping[str, Any] | None = None,
        max_concurrent: int = 32,
    ) -> dict[str, Any]:
        """Play evaluation episodes, or training episodes where there are none.

        An episode that breaks has no reward (see `rollout`); the others go on.

        Args:
          client: a `ChatClient`, or an `openai.AsyncOpenAI`.
          model: name of the model.
          num_examples: how many episodes, the first ones; -1 for all.
          rollouts_per_example: how often each is played.
          sampling_args: fields of every request, such as `temperature`.
          max_concurrent: episodes played at a time.

        Returns:
          `outputs`: the state of every episode, in order; and `metadata`: `env_id`, `model`,
          `num_examples`, `rollouts_per_example`, `sampling_args`, `time_ms`, `num_errors`
          (episodes that broke), `avg_reward` and `avg_metrics` (over the others), `usage`.

        Raises:
          ValueError: if there are not so many episodes.
          Exception: what the first episode raised, if none could be scored.
        """
        require_positive("rollouts_per_example", rollouts_per_example)
        require_positive("max_concurrent", max_concurrent)
        client = as_client(client)
        rows = self._chosen(num_examples)
        free = asyncio.Semaphore(max_concurrent)

        async def play(row: Mapping[str, Any]) -> State:
            async with free:
                return await self.rollout(client, model, row, sampling_args)

        start = time.monotonic()
        repeated = [row for row in rows for _ in range(rollouts_per_example)]
        outputs = await asyncio.gather(*map(play, repeated))
        scored = [state for state in outputs if state["reward"] is not None]
        if not scored:
            raise outputs[0]["error"]
        return {
            "outputs": list(outputs),
            "metadata": {
                "env_id": getattr(self.env_cls, "__name__", type(self.env_cls).__name__),
                "model": model,
                "num_examples": len(rows),
                "rollouts_per_example": rollouts_per_example,
                "sampling_args": dict(sampling_args or {}),
                "time_ms": 1000 * (time.monotonic() - start),
                "num_errors": len(outputs) - len(scored),
                "avg_reward": _mean(state["reward"] for state in scored),
                "avg_metrics": {
                    name: _mean(state["metrics"][name] for state in scored)
                    for name in scored[0]["metrics"]
                },
                "usage": asdict(sum((state["usage"] for state in outputs), Usage())),
            },
        }

    def evaluate_sync(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Call `evaluate` where no event loop runs."""
        return asyncio.run(self.evaluate(*args, **kwargs))

    def _start(self, row: Mapping[str, Any], state: State) -> None:
        """Make and reset the environment, and write the prompt."""
        env = state["gym_env"] = self.env_cls(**self.env_kwargs)
        obs = observation_of(env.reset(seed=int(row["answer"])))
        prompt = self._prompt(row["question"] if "question" in row else self.obs_to_text(obs))
        state |= {"prompt": prompt, "completion": prompt[:0]}

    async def _play(
        self, client: ChatClient, model: str, state: State, sampling: dict[str, Any]
    ) -> None:
        """Run the episode to its end."""
        while not state["gym_done"]:
            if len(state["trajectory"]) == self.max_episode_steps:
                state["stop_condition"] = "max_episode_steps"
                return
            sent = state["prompt"] + state["completion"]
            reply = await self._ask(client, model, sent, sampling)
            said = self._said(reply)
            state["usage"] += reply.usage or Usage()
            state["trajectory"].append(
                {"prompt": sent, "completion": said, "reply": reply, "reward": 0.0, "extras": {}}
            )
            shown = await self.env_response(sent + said, state)
            state["completion"] = state["completion"] + said + shown
        state["stop_condition"] = state["stop_condition"] or "done"

    async def _ask(
        self, client: ChatClient, model: str, sent: Any, sampling: dict[str, Any]
    ) -> Reply:
        if self.message_type == "completion":
            return await client.complete(sent, model=model, **sampling)
        return await client.chat(sent, model=model, **sampling)

    def _said(self, reply: Reply) -> Any:
        if self.message_type == "completion":
            return reply.text
        return [{"role": "assistant", "content": reply.text}]

    def _prompt(self, question: str) -> Any:
        messages: list[Message] = [*self.few_shot, {"role": "user", "content": question}]
        if self.system_prompt:
            messages.insert(0, {"role": "system", "content": self.system_prompt})
        if self.message_type == "completion":
            return "".join(f"{message['content']}\n" for message in messages)
        return messages

    def _rows(self) -> list[dict[str, str]]:
        """Return the seeds of all episodes, those for training first."""
        total = self.num_train_episodes + self.num_eval_episodes
        return [{"answer": str(self.seed + i)} for i in range(total)]

    @cached_property
    def _datasets(self) -> tuple[Any, Any]:
        return self.gym_to_hf()

    def _chosen(self, num_examples: int) -> list[dict[str, Any]]:
        """Return the episodes to evaluate, numbered."""
        if type(self).gym_to_hf is GymEnv.gym_to_hf:
            # Seeds are all that the rows hold, so that neither `datasets` nor a reset is needed.
            rows = self._rows()
            train, evaluation = rows[: self.num_train_episodes], rows[self.num_train_episodes :]
        else:
            train, evaluation = self._datasets
        rows = list(evaluation or ()) or list(train or ())
        if num_examples != -1 and not 1 <= num_examples <= len(rows):
            raise ValueError(
                f"num_examples is {num_examples!r}; it must be from 1 to the {len(rows)} episodes "
                "that there are (num_eval_episodes), or -1 for all"
            )
        if not rows:
            raise ValueError("there are no episodes; num_eval_episodes must be 1 or more")
        rows = rows if num_examples == -1 else rows[:num_examples]
        for i, row in enumerate(rows):
            if not str(row.get("answer", "")).isdecimal():
                raise ValueError(
                    f"row {i} of gym_to_hf has the answer {row.get('answer')!r}; it must be a "
                    "seed, a whole number from 0"
                )
        return [{"example_id": i, **row} for i, row in enumerate(rows)]


def _end(state: State, reason: str) -> None:
    state["gym_done"] = True
    state["stop_condition"] = reason


def _mean(values: Iterable[float]) -> float:
    values = list(values)
    return sum(values) / len(values)
