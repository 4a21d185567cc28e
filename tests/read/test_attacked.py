import pandas as pd
import pytest

import reportgen
from reportgen.errors import InputError

TABLE = pd.DataFrame({"id": range(40), "x": [1.5, 2.5] * 20, "y": ["a", "b", "b", "a"] * 10, "same": [1] * 40})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"secret": "nobody"}, "--secret: there is no column 'nobody'"),
        ({"link": "nobody"}, "--link: there is no column 'nobody'"),
        ({"link": "x", "link_with": "nobody"}, "--link-with: there is no column 'nobody'"),
        ({"secret": "same"}, "--secret: column 'same' takes no part"),
        ({"secret": "y", "ignore": "y"}, "--secret: column 'y' takes no part"),
        ({"link_with": "x"}, "--link-with: names one of two files"),
        ({"link": "x", "link_with": ("y", "x")}, "column 'x' is named by both --link and --link-with"),
        ({"link": ("id", "x", "y")}, "--link: names every column that is compared"),
    ],
)
def test_a_choice_that_cannot_be_attacked_is_refused_with_what_to_do(settings, message):
    with pytest.raises(InputError, match=message) as error:
        reportgen.assess(TABLE, TABLE, TABLE, **settings)
    assert "\n" not in str(error.value)
