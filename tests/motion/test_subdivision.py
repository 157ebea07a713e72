from __future__ import annotations

from collections import Counter

import numpy as np

from gambol.motion.subdivision import subdivide

CUBE = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
SIDES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])


def test_a_cube_becomes_what_catmull_and_clark_say() -> None:
    step, quads = subdivide(SIDES, len(CUBE))
    points = step @ CUBE
    assert len(quads) == 24
    np.testing.assert_allclose(points[:8], 5.0 / 9.0 * CUBE)
    sizes = Counter(tuple(sorted(np.abs(point).round(12))) for point in points[8:])
    assert sizes == {(0.0, 0.0, 1.0): 6, (0.0, 0.75, 0.75): 12}


def test_a_step_keeps_the_mesh_closed_and_its_shares_add_up() -> None:
    quads, count = SIDES, len(CUBE)
    volumes, points = [], CUBE
    for _ in range(3):
        step, quads = subdivide(quads, count)
        np.testing.assert_allclose(step.sum(axis=1), 1.0)
        assert step.min() >= 0.0
        points, count = step @ points, step.shape[0]
        edges = Counter((int(a), int(b)) for f in quads for a, b in zip(f, np.roll(f, -1), strict=True))
        assert all(edges[b, a] == edges[a, b] == 1 for a, b in edges)
        a, b, c = (points[quads[:, corners]].mean(axis=1) for corners in ([0, 1], [1, 2], [2, 3]))
        volumes.append(float(np.einsum("fc,fc->", points[quads].mean(axis=1), np.cross(b - a, c - b))))
    assert min(volumes) > 0.0
