"""The training loop and its batches, against the plainest way to write them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from panelbench.data import Scaler
from panelbench.models import registry
from panelbench.models.batches import Batches
from panelbench.models.loop import train_network
from tests.models.small import settings, task

CPU = torch.device("cpu")


def batches(experiment, block="train"):
    blocks = task(experiment)
    scaler = Scaler.fit(blocks.train, experiment.scaling, experiment.target)
    windows = getattr(blocks, block)
    return Batches(windows, scaler, list(range(4)), CPU), windows, scaler


@pytest.mark.parametrize("scaling", ["global", "series", "window"])
def test_when_a_batch_is_gathered_then_it_is_the_scaled_windows(scaling):
    made, windows, scaler = batches(settings("rnn", scaling=scaling))
    rows = np.array([0, 5, 90, 3])
    raw = windows.inputs(rows).astype(np.float64)
    centre, spread = scaler.inputs(windows)
    if scaling == "window":
        at = (windows.series[rows], windows.position[rows])
        centre, spread = centre[at][:, None], spread[at][:, None]
    elif scaling == "series":
        centre, spread = centre[windows.series[rows]], spread[windows.series[rows]]

    found = made.inputs(torch.from_numpy(rows)).numpy()

    np.testing.assert_allclose(found, (raw - centre) / spread, rtol=1e-4, atol=1e-4)


def test_when_batches_are_made_then_overlapping_windows_are_not_copied():
    made, windows, _ = batches(settings("rnn"))

    assert made._view.untyped_storage().nbytes() == windows.values.nbytes


def test_when_targets_are_scaled_back_then_they_are_the_targets():
    made, windows, _ = batches(settings("rnn", scaling="window", target="difference"))

    np.testing.assert_allclose(made.to_units(made.targets), windows.y, rtol=1e-4)


def test_when_batches_are_not_shuffled_then_training_is_the_textbook_loop():
    experiment = settings("rnn", shuffle=False, epochs=2, batch_size=50, clip_norm=0.5)
    made, windows, _ = batches(experiment)
    torch.manual_seed(0)
    ours, plain = nn.Sequential(nn.Flatten(), nn.Linear(32, 1)), nn.Sequential(nn.Flatten(), nn.Linear(32, 1))
    plain.load_state_dict(ours.state_dict())
    x, y = made.inputs(slice(None)), made.targets
    adam = torch.optim.Adam(plain.parameters(), lr=0.001, weight_decay=0.0001)

    history = train_network(ours, made, None, experiment, 0, None)
    losses = []
    for _ in range(2):
        total = 0.0
        for first in range(0, len(windows), 50):
            adam.zero_grad()
            loss = nn.functional.mse_loss(plain(x[first : first + 50]), y[first : first + 50])
            loss.backward()
            nn.utils.clip_grad_norm_(plain.parameters(), 0.5)
            adam.step()
            total += float(loss.detach()) * len(x[first : first + 50])
        losses.append(total / len(windows))

    for mine, theirs in zip(ours.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(mine, theirs)
    assert [record.train_loss for record in history] == pytest.approx(losses)
    assert [record.updates for record in history] == [4, 8]  # 162 windows: three whole batches and a part


def test_when_there_is_a_warm_up_then_the_first_steps_are_shorter_by_the_schedule_and_the_later_ones_whole():
    """Adam's first steps are of the size of the learning rate, in whatever unit the loss is."""
    experiment = settings("rnn", shuffle=False, epochs=2, batch_size=50, warmup_steps=5)
    made, windows, _ = batches(experiment)
    torch.manual_seed(0)
    ours, plain = nn.Sequential(nn.Flatten(), nn.Linear(32, 1)), nn.Sequential(nn.Flatten(), nn.Linear(32, 1))
    plain.load_state_dict(ours.state_dict())
    adam = torch.optim.Adam(plain.parameters(), lr=0.001, weight_decay=0.0001)
    schedule = torch.optim.lr_scheduler.LambdaLR(adam, lambda step: min(1.0, (step + 1) / 5))

    train_network(ours, made, None, experiment, 0, None)
    for first in [*range(0, len(windows), 50)] * 2:  # eight updates
        adam.zero_grad()
        x, y = made.inputs(slice(first, first + 50)), made.targets[first : first + 50]
        nn.functional.mse_loss(plain(x), y).backward()
        nn.utils.clip_grad_norm_(plain.parameters(), 1.0)
        adam.step()
        schedule.step()

    for mine, theirs in zip(ours.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(mine, theirs)


def test_when_batches_are_shuffled_then_every_window_is_seen_once_an_epoch_in_a_new_order(monkeypatch):
    experiment = settings("rnn", shuffle=True, epochs=2, batch_size=50)
    made, windows, _ = batches(experiment)
    seen = []
    gather = made.inputs
    monkeypatch.setattr(made, "inputs", lambda rows: seen.append(rows.clone()) or gather(rows))

    train_network(nn.Sequential(nn.Flatten(), nn.Linear(32, 1)), made, None, experiment, 0, None)

    order = torch.cat(seen).view(2, len(windows))
    assert all(torch.equal(epoch.sort().values, torch.arange(len(windows))) for epoch in order)
    assert not torch.equal(order[0], order[1])


def test_when_there_is_a_validation_block_then_it_is_measured_with_the_networks_state_after_the_epoch():
    experiment = settings("ffn", dropout=0.5)
    blocks = task(experiment)
    forecaster = registry.build(experiment, 0)

    record = forecaster.fit(blocks.train, blocks.valid)

    error = forecaster.predict(blocks.valid) - blocks.valid.y
    assert record.history[-1].valid_rmse == pytest.approx(np.sqrt(np.mean(error**2)), rel=1e-5)
    assert record.history[0].valid_loss is not None


def test_when_there_is_none_then_the_history_has_no_validation_figures():
    experiment = settings("rnn")

    record = registry.build(experiment, 0).fit(task(experiment).train, None)

    assert record.history[-1].valid_loss is None
    assert record.history[-1].valid_rmse is None


def test_when_an_epoch_is_done_then_the_observer_is_told():
    told = []
    experiment = settings("rnn", epochs=3)

    registry.build(experiment, 0, 1, lambda done, total: told.append((done, total))).fit(
        task(experiment).train, None
    )

    assert told == [(1, 3), (2, 3), (3, 3)]
