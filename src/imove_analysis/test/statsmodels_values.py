"""Values of statsmodels that tests compare with, so that they need no statsmodels themselves.

    python src/imove_analysis/test/statsmodels_values.py > src/imove_analysis/test/data/statsmodels.json

Needs `pip install statsmodels` in an environment of its own.
"""

import json

import statsmodels
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

COUNTS = [(0, 10), (3, 10), (10, 10), (19, 50), (34, 50), (1, 100), (74, 100), (500, 1000)]
PAIRS = [((56, 70), (48, 80)), ((9, 10), (3, 10)), ((6, 7), (2, 7)), ((19, 50), (34, 50)), ((0, 20), (0, 30))]
DIFFERING = [(0, 5), (3, 9), (12, 2), (20, 20), (1, 40)]
FAMILIES = [[0.01, 0.04, 0.03], [0.5, 0.9], [0.001, 0.2, 0.011, 0.049, 0.049, 0.012], [0.2]]


def values() -> dict:
    """Arguments and results by function of statsmodels."""
    return {
        "statsmodels": statsmodels.__version__,
        **{
            method: [
                [k, n, alpha, *map(float, proportion_confint(k, n, alpha, method))]
                for k, n in COUNTS
                for alpha in (0.05, 0.1)
            ]
            for method in ("wilson", "beta")
        },
        "newcomb": [
            [*first, *second, *map(float, confint_proportions_2indep(*first, *second, method="newcomb"))]
            for first, second in PAIRS
        ],
        "mcnemar": [[*pair, float(mcnemar([[7, pair[0]], [pair[1], 11]]).pvalue)] for pair in DIFFERING],
        "holm": [[family, multipletests(family, method="holm")[1].tolist()] for family in FAMILIES],
    }


if __name__ == "__main__":
    print(json.dumps(values()))
