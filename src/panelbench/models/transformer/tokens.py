"""From a window to tokens, the positions that attention works on: its shape, patches, channels apart."""

from __future__ import annotations

from torch import Tensor


def require_windows(windows: Tensor, lookback: int, channels: int) -> None:
    """Refuse what is not a batch of windows of the shape that a network was built for.

    Raises
    ------
    ValueError
        Naming the expected shape and the one found.
    """
    if windows.dim() != 3 or windows.shape[1:] != (lookback, channels):
        raise ValueError(
            f"expected windows of shape (batch, lookback, channels) = (batch, {lookback}, {channels}), "
            f"got {tuple(windows.shape)}"
        )


def require_lookback(lookback: int) -> None:
    """Refuse a lookback below 1.

    Raises
    ------
    ValueError
        If it is.
    """
    if lookback < 1:
        raise ValueError(f"lookback must be at least 1 period, got {lookback}")


def cut_patches(windows: Tensor, length: int, stride: int) -> Tensor:
    """Cut windows into patches: fewer, richer tokens, at 1 / stride^2 of attention's cost.

    The last patch ends with the last period. Where the patches do not fill the lookback, its **oldest**
    periods, fewer than a stride, are left out: the latest say most about what comes.

    Parameters
    ----------
    windows
        (b, L, C).

    Returns
    -------
    Tensor
        (b, n, C * length): channel by channel, each from the patch's oldest period to its latest.
    """
    unread = (windows.shape[1] - length) % stride
    return windows[:, unread:].unfold(1, length, stride).flatten(2)


def apart(windows: Tensor) -> Tensor:
    """Map (b, L, C) to (b * C, L, 1): each channel a window of its own, a window's channels in a row."""
    return windows.transpose(1, 2).reshape(-1, windows.shape[1], 1)
