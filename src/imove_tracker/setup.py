"""Installs imove_tracker as an ament_python package."""

from setuptools import find_packages, setup

NAME = "imove_tracker"

setup(
    name=NAME,
    version="0.1.0",
    description="Tracks the objects of an episode on the real table with its static RGB-D camera.",
    license="Apache-2.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    entry_points={
        "console_scripts": [
            "object_tracker = imove_tracker.node:main",
        ]
    },
    extras_require={"test": ["pytest"]},
    zip_safe=True,
)
