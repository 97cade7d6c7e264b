"""Cut the time axis into training, validation and test blocks, the same dates for every series."""

from __future__ import annotations

from dataclasses import dataclass

from panelbench.errors import InputError


@dataclass(frozen=True)
class Split:
    """Three consecutive blocks of *target* periods.

    A window belongs to the block its targets fall in. Its history may reach back over a boundary,
    because by then that history has been observed; a target never does.

    Attributes
    ----------
    train_end
        Training targets are the periods before this index.
    valid_end
        Validation targets are the periods from `train_end` up to this index.
    n_steps
        Test targets are the periods from `valid_end` up to this index: the end of the panel.
    """

    train_end: int
    valid_end: int
    n_steps: int

    @classmethod
    def cut(cls, n_steps: int, test_steps: int, validation_steps: int) -> Split:
        """Cut the last `test_steps` periods off for the test and those before them for validation.

        Raises
        ------
        InputError
            If nothing is left to train on.
        """
        valid_end = n_steps - test_steps
        train_end = valid_end - validation_steps
        if train_end < 1:
            raise InputError(
                f"params.yaml: split.test_steps ({test_steps}) and validation_steps ({validation_steps}) "
                f"leave nothing to train on: the panel has {n_steps} periods. Make them smaller."
            )
        return cls(train_end, valid_end, n_steps)
