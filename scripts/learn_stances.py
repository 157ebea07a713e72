"""Learn when feet carry a body: the weights of `gambol.stages.stance_network`.

    python scripts/learn_stances.py record FOLDER inputs.npz       every second BVH file of a folder
    python scripts/learn_stances.py learn inputs.npz network.npz   with PyTorch, about a minute on a GPU

Contacts of sound recordings are found by stillness; the network must find them without the path over the floor, in
copies that are faster, slower, noisier, rise and fall, or are mirrored. Its size and its regularisation were chosen on
a quarter of the recordings that it learns from.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

COPIES, CROP, BATCH, STEPS = 10, 256, 64, 3000
CHANNELS, LAYERS = 64, 4


def record(folder: Path, out: Path) -> None:
    """Write what the network sees of damaged copies of recordings, and when their feet are in contact."""
    from gambol.body.character import Character
    from gambol.contacts.contact import is_foot
    from gambol.fit.contacts import find_contact_points
    from gambol.fit.load import as_motion
    from gambol.fit.rig import fit
    from gambol.stages.contacts import find_foot_contacts
    from gambol.stages.stance_network import ENDS, RATE, look

    rng, inputs, labels = np.random.default_rng(0), [], []
    for path in sorted(folder.rglob("*.bvh"))[::2]:
        source = as_motion(path)
        fitted = fit(Character.from_motion(source), source)
        points = [point for point in find_contact_points(fitted) if is_foot(point.name)]
        contacts = find_foot_contacts(fitted.motion, points)
        places = look(fitted.motion)
        frames = np.round(np.arange(len(places)) / RATE / source.frame_time).astype(int)
        masks = np.stack([contacts.touching(end) for end in ENDS], axis=1)[np.minimum(frames, len(source) - 1)]
        for _ in range(COPIES):
            seen, touching = _damage(places, masks, fitted.character.leg_length, rng)
            inputs.append(seen.astype(np.float16))
            labels.append(touching)
        print(path.name, len(source), masks.mean(axis=0).round(2), flush=True)
    ends = np.cumsum([len(one) for one in inputs])
    np.savez_compressed(out, inputs=np.concatenate(inputs), labels=np.concatenate(labels), ends=ends)


def _damage(
    places: np.ndarray, masks: np.ndarray, leg: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return what the network sees of a changed copy (frames, 26), and its contacts (frames, 4)."""
    from gambol.stages.stance_network import RATE, describe, mirror

    at = np.arange(0.0, len(places) - 1, rng.uniform(0.75, 1.3))
    low = at.astype(int)
    copy = places[low] + (at - low)[:, None, None] * (places[low + 1] - places[low])
    masks = masks[np.round(at).astype(int)]
    copy = copy + rng.normal(0.0, leg * rng.uniform(0.0, 0.015), copy.shape)
    period, phase = rng.uniform(0.5, 4.0), rng.uniform(0.0, 2.0 * np.pi)
    copy[..., 2] += 0.04 * rng.uniform() * np.sin(2.0 * np.pi * np.arange(len(at)) / RATE / period + phase)[:, None]
    if rng.uniform() < 0.5:
        copy, masks = mirror(copy), masks[:, [2, 3, 0, 1]]
    return describe(copy, leg), masks


def learn(recorded: Path, out: Path) -> None:
    """Train the network and write its weights in half precision."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    rng, device = np.random.default_rng(0), "cuda" if torch.cuda.is_available() else "cpu"
    with np.load(recorded) as file:
        inputs, labels, ends = file["inputs"].astype(np.float32), file["labels"], file["ends"]
    mean, deviation = inputs.mean(axis=0), inputs.std(axis=0) + 1e-3
    inputs = (inputs - mean) / deviation
    layer = {"padding_mode": "replicate"}
    first = nn.Conv1d(inputs.shape[1], CHANNELS, 5, padding=2, **layer)
    middle = nn.ModuleList(
        nn.Conv1d(CHANNELS, CHANNELS, 3, padding=2**n, dilation=2**n, **layer) for n in range(LAYERS)
    )
    net = nn.ModuleDict({"first": first, "middle": middle, "last": nn.Conv1d(CHANNELS, 4, 1)}).to(device)
    drop, loss_of = nn.Dropout1d(0.4), nn.BCEWithLogitsLoss()
    optimiser = torch.optim.AdamW(net.parameters(), lr=4e-3, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=STEPS)
    begins = np.concatenate(([0], ends[:-1]))
    long = np.flatnonzero(ends - begins > CROP)
    share = (ends - begins)[long] / (ends - begins)[long].sum()
    everything, truth = torch.tensor(inputs, device=device), torch.tensor(labels.astype(np.float32), device=device)
    for step in range(STEPS):
        clips = rng.choice(long, BATCH, p=share)
        rows = [rng.integers(begins[c], ends[c] - CROP) for c in clips]
        seen = torch.stack([everything[r : r + CROP] for r in rows]).transpose(1, 2)
        seen = seen * (1.0 + 0.1 * torch.randn(BATCH, seen.shape[1], 1, device=device))
        seen = seen + 0.1 * torch.randn(BATCH, seen.shape[1], 1, device=device)
        hidden = torch.relu(net["first"](seen))
        for conv in net["middle"]:
            hidden = hidden + drop(torch.relu(conv(hidden)))
        loss = loss_of(net["last"](hidden).transpose(1, 2), torch.stack([truth[r : r + CROP] for r in rows]))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        if step % 500 == 499:
            print(step + 1, round(loss.item(), 4), flush=True)
    weights = {name: value.detach().cpu().numpy().astype(np.float16) for name, value in net.state_dict().items()}
    np.savez_compressed(out, mean=mean.astype(np.float32), deviation=deviation.astype(np.float32), **weights)


if __name__ == "__main__":
    {"record": record, "learn": learn}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
