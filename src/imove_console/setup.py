"""Installs imove_console as an ament_python package."""

from setuptools import find_packages, setup

NAME = "imove_console"

setup(
    name=NAME,
    version="0.1.0",
    description="The operator's local web page: cameras, arms, trials, teleoperation, recordings, calibration.",
    license="Apache-2.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed", "page/*"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    entry_points={
        "console_scripts": [
            "console = imove_console.node:main",
        ]
    },
    extras_require={"test": ["pytest"]},
    zip_safe=True,
)
