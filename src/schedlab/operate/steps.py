"""What the loop does, step by step. Each step ends with its entry in the log."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from schedlab.errors import InputError, OutputError, PeerError, SchedlabError
from schedlab.live.connect import connect
from schedlab.live.ledger import Entry, Ledger, read_ledger
from schedlab.live.peer import Peer, SchedulerReader
from schedlab.live.score import jobs_within, score_forecasts, steered_site
from schedlab.live.steering.steering import Steering, Step, steer
from schedlab.live.switch import LOG as STEERING_LOG
from schedlab.live.switch import SteeringSwitch
from schedlab.live.watch import LiveWatch
from schedlab.operate.collect import collect, forget, place_of
from schedlab.operate.gate import ANSWERS, Gate, hash_of
from schedlab.operate.judge import Judge
from schedlab.operate.notices import Notices
from schedlab.operate.record import LOG, LoopRecord, policy_digest, record_of
from schedlab.operate.settings import OperateSettings
from schedlab.policies import find_policy
from schedlab.slurm.fidelity import fidelity_of
from schedlab.slurm.measures import Guard, Measure
from schedlab.slurm.periods import part_of, periods_of
from schedlab.slurm.replay import history_of, phases_of, replay_all
from schedlab.slurm.site import SlurmSite
from schedlab.slurm.site_folder import read_site
from schedlab.slurm.what_if import compare_replays
from schedlab.version import __version__

LOOK_S = 0.5
"""How often to look for an answer."""
TEST_SEED = 1_000
"""Added to the seed: the test draws other phases than the search."""
Import = Callable[[Path, Path], object]
"""Makes a site folder (the second path) from a dump (the first path)."""


@dataclass
class Steps:
    """The steps of a site, and what they share.

    Args:
        site: the site folder.
        settings: what the site wants.
        import_dump: makes a site folder from what was collected.
        notices: where notices go.
        conf: the slurm.conf. Default: as Slurm finds it.
        say: called with a sentence on each thing that happens.
    """

    site: Path
    settings: OperateSettings
    import_dump: Import
    notices: Notices
    conf: Path | None = None
    say: Callable[[str], None] = lambda text: None
    copy: Callable[[], object] = lambda: None
    """Copies the log to the store of the history service, where the site has one."""

    def __post_init__(self) -> None:
        self.folder = self.site / "operate"
        self.every_s = self.settings.seconds("every")
        self.gate = Gate(self.folder)
        self._make(self.folder, self.folder / ANSWERS)
        self._ledger = Ledger(self.folder / LOG)
        self._metric = Measure.parse(self.settings.metric)
        self._keep = [Guard.parse(each) for each in self.settings.keep]

    def record(self) -> LoopRecord:
        """Return the state of the loop."""
        path = self.folder / LOG
        return record_of(read_ledger(path) if path.exists() else ())

    def is_due(self, record: LoopRecord) -> bool:
        """Return whether the next round is to begin."""
        return time.time() >= record.begun_at + self.settings.seconds("round")

    def begin(self, record: LoopRecord) -> None:
        """Begin the next round."""
        number = record.round + 1
        self._write("round", number, settings=asdict(self.settings), version=__version__)
        self.say(f"round {number}")
        forget(self.folder, number - self.settings.keep_rounds)

    def collect(self, record: LoopRecord) -> None:
        """Collect what the scheduler knows of the last weeks."""
        read = self._collected(record, "first")
        jobs = 0 if read.history is None else len(read.history.workload)
        self._write("collected", record.round, jobs=jobs)
        self.say(f"collected {jobs:,} jobs")

    def check(self, record: LoopRecord) -> None:
        """Check whether the twin is near enough to judge policies with it."""
        read = self._read(record, "first")
        jobs = 0 if read.history is None else len(read.history.workload)
        told: dict[str, Any] = {"jobs": jobs}
        why = ""
        if jobs < self.settings.least_jobs:
            why = f"{jobs:,} jobs were collected, and {self.settings.least_jobs:,} are wanted"
        else:
            drawn = phases_of(read, self.settings.phases, self.settings.seed)
            row = fidelity_of(read, replay_all(read, drawn)).rows[0]
            told |= {"real_wait_s": row.real_wait_s, "twin_wait_s": row.twin_wait_s.mean}
            told["wait_error"] = row.wait_error
            if abs(row.wait_error) > self.settings.wait_error:
                why = (
                    f"the twin's mean wait is {row.wait_error:+.0%} from Slurm's, and "
                    f"{self.settings.wait_error:.0%} are allowed"
                )
        self._write("checked", record.round, good=not why, why=why, **told)
        self.say(why or f"the twin's mean wait is {told['wait_error']:+.1%} from Slurm's")

    def learn(self, record: LoopRecord) -> None:
        """Choose the best policy on the first half of the history."""
        read = self._read(record, "first")
        periods = periods_of(read)
        judge = self._judge(part_of(read, periods.before(len(periods) // 2)), self.settings.seed)
        candidates = list(dict.fromkeys((*self.settings.policies, record.steers)))
        if self.settings.generations:
            candidates.append(self._searched(judge, record))
        costs = {each: judge.cost(each) for each in candidates if each}
        best = min(costs, key=lambda each: costs[each])
        told = [
            {"policy": each, "digest": policy_digest(each), "cost": round(cost, 5)}
            for each, cost in costs.items()
        ]
        self._write(
            "learned",
            record.round,
            policy=best,
            digest=policy_digest(best),
            candidates=told,
            periods=len(periods) // 2,
            unit=periods.unit,
        )
        self.say(f"learned: {best} costs {costs[best]:.3f} of no steering")

    def _searched(self, judge: Judge, record: LoopRecord) -> str:
        from schedlab.operate.search import search_weights

        determined_by = {
            "version": __version__,
            "jobs": len(history_of(judge.site).workload),
            "metric": self.settings.metric,
            "keep": list(self.settings.keep),
            "phases": self.settings.phases,
            "seed": self.settings.seed,
        }
        return search_weights(
            judge.cost,
            self.settings.generations,
            self.settings.seed,
            self._place(record) / "search.json",
            determined_by,
            lambda done, best: self.say(f"search: generation {done}, cost {best:.3f}"),
        )

    def test(self, record: LoopRecord) -> None:
        """Test this policy on the second half of the history, under other phases."""
        read = self._read(record, "first")
        periods = periods_of(read)
        policy = record.of("learned")["policy"]
        held_out = part_of(read, ~periods.before(len(periods) // 2))
        verdict = self._judge(held_out, self.settings.seed + TEST_SEED).verdict(policy)
        own = self.settings
        why = verdict.why_not(own.least_gain, significant=own.significant)
        self._write(
            "tested",
            record.round,
            good=not why,
            why=f"{policy}: {why}" if why else "",
            digest=policy_digest(policy),
            **verdict.as_json(),
        )
        said = f"test of {policy}: {self.settings.metric} {verdict.difference:+.1%}"
        self.say(f"{said}; {why}" if why else said)

    def shadow(self, record: LoopRecord) -> None:
        """Let the policy say what it would do, and score that by what happened meanwhile."""
        policy = record.of("tested")["policy"]
        if record.last != "shadowing":
            self._write("shadowing", record.round, policy=policy)
            record = self.record()
        until = record.of("shadowing")["at"] + self.settings.seconds("shadow")
        log = self._place(record) / "shadow.log"
        peer = self._peer(record)
        watch = self._live_watch(peer, peer.reader())
        guards = self.settings.guards(peer.bounds)
        steering = Steering(
            watch, find_policy(policy), guards, peer.site.machine.cores, Ledger(log)
        )
        while time.time() < until:
            next_at = min(time.time() + self.every_s, until)
            try:
                self._say_step(steering.step())
            except PeerError as error:
                self.say(str(error))
            time.sleep(max(next_at - time.time(), 0.0))
        score = self._score(record, "shadow", list(read_ledger(log)))
        difference = score.get("difference")
        why = ""
        if difference is None:
            why = "no job waited while the shadow ran"
        elif not score["changes"]:
            why = "shadow mode noted no change"
        elif difference > self.settings.tolerance:
            why = f"what shadow mode noted would have changed the mean wait by {difference:+.1%}"
        self._write("shadowed", record.round, policy=policy, good=not why, why=why, **score)
        self.say(why or f"shadow of {policy}: mean wait {difference:+.1%}")

    def ask(self, record: LoopRecord) -> None:
        """Ask a person whether the policy may steer."""
        policy, tested = record.of("tested")["policy"], record.of("tested")
        code = self.gate.ask(policy)
        self._write(
            "asked",
            record.round,
            policy=policy,
            digest=policy_digest(policy),
            code_hash=hash_of(code),
        )
        self.tell(
            "question",
            f"may {policy} steer? In the test: {self.settings.metric} "
            f"{tested['difference']:+.1%}; in the shadow: "
            f"{record.of('shadowed')['difference']:+.1%}",
            code=code,
            answer=f"schedlab operate {self.site} approve (or reject)",
        )

    def hear(self, record: LoopRecord) -> None:
        """Wait for the answer."""
        asked = record.of("asked")
        while (answer := self.gate.heard(asked["code_hash"])) is None:
            if self.is_due(record):
                self.end(record, "there was no answer until the next round")
                return
            time.sleep(LOOK_S)
        kind = "allowed" if answer.yes else "rejected"
        self._write(kind, record.round, policy=asked["policy"], who=answer.who)
        self.say(f"{asked['policy']} is {kind} by {answer.who}")

    def allow(self, record: LoopRecord) -> None:
        """Let the policy steer without asking a person: the settings say so."""
        self._write("allowed", record.round, policy=record.of("tested")["policy"], who="settings")

    def steer(self, record: LoopRecord) -> None:
        """Change priorities for one watch period, or until someone stops it."""
        policy = record.of("tested")["policy"]
        if policy_digest(policy) != record.of("tested")["digest"]:
            raise InputError(f"{policy}: its file was changed since the test")
        peer = self._peer(record)
        hand = peer.hand(self.every_s / 3)
        self.say(hand.check_rights())
        reader = peer.reader(self.every_s / 3, with_factors=True)
        live = self.site / "live"
        self._make(live)
        self.gate.stopped_by()  # drop a request from before the steering began
        begun = self._write("steers", record.round, policy=policy, digest=policy_digest(policy))
        self.tell("steers", f"{policy} steers")
        guards = self.settings.guards(peer.bounds)
        watch = self._live_watch(peer, reader)
        stopped: list[str] = []

        def make(beat: Callable[[], bool]) -> Steering:
            ledger = Ledger(live / STEERING_LOG)
            cores = peer.site.machine.cores
            return Steering(watch, find_policy(policy), guards, cores, ledger, hand, beat)

        def tell(step: Step | str) -> None:
            self._say_step(step)
            if who := self.gate.stopped_by():
                stopped.append(who)
                SteeringSwitch(live).off()

        whole = steer(
            make,
            peer,
            reader,
            hand,
            live,
            every_s=self.every_s,
            expire_s=guards.expire_s,
            steps=max(1, round(self.settings.seconds("watch") / self.every_s)),
            tell=tell,
            policy=policy,
        )
        if whole:
            self._write("steered", record.round, policy=policy, since=begun["at"])
        else:
            who = stopped[0] if stopped else "somebody who turned the switch off"
            self._write("stopped", record.round, policy=policy, why=f"stopped by {who}")
            self.tell("stopped", f"{policy} no longer steers: stopped by {who}")

    def watch(self, record: LoopRecord) -> None:
        """Measure what the changes did, by the twin with and without them."""
        policy, since = record.of("steered")["policy"], record.of("steered")["since"]
        log = read_ledger(self.site / "live" / STEERING_LOG)
        score = self._score(record, "watch", [entry for entry in log if entry["at"] >= since])
        difference = score.get("difference")
        why = ""
        if difference is not None and difference > self.settings.tolerance:
            why = f"{policy} changed the mean wait by {difference:+.1%}"
        self._write("watched", record.round, policy=policy, good=not why, why=why, **score)
        told = "no job waited" if difference is None else f"mean wait {difference:+.1%}"
        self.say(why or f"effect of {policy}: {told}")

    def end(self, record: LoopRecord, why: str, *, keep: bool = False) -> None:
        """End the round; the policy that steers is withdrawn, unless ``keep`` is true."""
        if record.steers and not keep:
            self._write("rolled back", record.round, policy=record.steers, why=why)
            self.tell("rolled back", f"{record.steers} no longer steers: {why}")
        self._write("ended", record.round, why=why)
        self.say(f"round {record.round} ends: {why}")

    # What steps share.

    def _make(self, *folders: Path) -> None:
        for folder in folders:
            try:
                folder.mkdir(exist_ok=True)
            except OSError as error:
                raise OutputError(f"{folder}: cannot be made: {error.strerror}") from None

    def _write(self, kind: str, number: int, **what: Any) -> Entry:
        entry = self._ledger.add(kind, time.time(), round=number, **what)
        try:
            self.copy()
        except SchedlabError as error:  # the next copy has this entry, too
            self.say(f"the log was not copied to the store: {error}")
        return entry

    def tell(self, kind: str, text: str, **more: Any) -> None:
        """Say a sentence, and send it as a notice."""
        self.say(text)
        for failure in self.notices.send(kind, text, **more):
            self.say(f"a notice was not sent: {failure}")
            self._write("notice failed", 0, why=failure)

    def _say_step(self, step: Step | str) -> None:
        if isinstance(step, str):
            self.say(step)
            return
        refused = f"; not allowed: {step.advice.refused}" if step.advice.refused else ""
        counts = step.look.counts
        self.say(
            f"{counts['running']:,} run, {counts['waiting']:,} wait; {len(step.changes):,} changes"
            f"{refused}"
        )

    def _place(self, record: LoopRecord) -> Path:
        return place_of(self.folder, record.round)

    def _collected(self, record: LoopRecord, name: str) -> SlurmSite:
        """Collect and import the present state of the scheduler."""
        place = self._place(record)
        dump, folder = place / f"dump-{name}", place / f"site-{name}"
        collect(dump, self.settings.seconds("history"), self.conf)
        self.import_dump(dump, folder)
        return read_site(folder)

    def _read(self, record: LoopRecord, name: str) -> SlurmSite:
        return read_site(self._place(record) / f"site-{name}")

    def _peer(self, record: LoopRecord) -> Peer:
        return connect(self.site, self.conf, self._place(record) / "site-first")

    def _live_watch(self, peer: Peer, reader: SchedulerReader) -> LiveWatch:
        own = self.settings
        return LiveWatch(peer.site, reader, forks=own.forks, past=peer.past(), seed=own.seed)

    def _judge(self, site: SlurmSite, seed: int) -> Judge:
        guards = self.settings.guards(connect(self.site).bounds)
        phases = self.settings.phases
        return Judge(site, self._metric, self._keep, guards, self.every_s, phases, seed)

    def _score(self, record: LoopRecord, name: str, entries: list[Entry]) -> dict[str, Any]:
        """Score what the changes of a log did, or would have done, to the jobs that waited."""
        read = self._collected(record, name)
        other, told = steered_site(read, entries)
        drawn = phases_of(read, self.settings.phases, self.settings.seed)
        before, after = replay_all(read, drawn), replay_all(other, drawn)
        try:
            within = jobs_within(read, entries)
            row = compare_replays(read, before, after, within, unstarted=True).rows[0]
        except InputError:
            return {"changes": told, "jobs": 0}
        forecasts = score_forecasts(read, entries)
        return {
            "changes": told,
            "jobs": row.jobs,
            "real_wait_s": row.real_wait_s,
            "without_s": row.before_s.mean,
            "with_s": row.after_s.mean,
            "difference": row.difference,
            "interval": row.interval,
            "forecasts": None if forecasts is None else asdict(forecasts),
        }
