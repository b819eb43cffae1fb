"""Libraries that are not there."""

import pytest

from riverboat.errors import UsageError
from riverboat.interop.libraries import library


def test_a_missing_library_says_how_to_install_it() -> None:
    with pytest.raises(UsageError) as caught:
        library("no_such_library_anywhere", "OpenSpiel")
    assert str(caught.value).startswith(
        "OpenSpiel is not installed; install it with: pip install 'open_spiel>=1.5' "
    )


def test_a_library_that_is_there_is_handed_over() -> None:
    import numpy

    assert library("numpy", "NumPy") is numpy
