"""Installs imove_trials as an ament_python package."""

from setuptools import find_packages, setup

NAME = "imove_trials"

setup(
    name=NAME,
    version="0.1.0",
    description="Conducts trials on the real table: layout, check, run, homing, blinded comparisons.",
    license="Apache-2.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    entry_points={
        "console_scripts": [
            "trial_conductor = imove_trials.node:main",
        ]
    },
    extras_require={"test": ["pytest"]},
    zip_safe=True,
)
