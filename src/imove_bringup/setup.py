"""Installs imove_bringup as an ament_python package."""

from glob import glob

from setuptools import find_packages, setup

NAME = "imove_bringup"

setup(
    name=NAME,
    version="0.1.0",
    description="Launch files, configuration and the imove command.",
    license="Apache-2.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed", "annotation/page/*", "quality/page/*"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        (f"share/{NAME}/launch", sorted(glob("launch/*.launch.py"))),
        (f"share/{NAME}/config", ["config/fastdds.xml"]),
        *((f"share/{NAME}/{folder}", sorted(glob(f"{folder}/*"))) for folder in sorted(glob("config/moveit/*"))),
    ],
    entry_points={
        "console_scripts": [
            "imove = imove_bringup.cli:main",
            "markers = imove_bringup.markers_node:main",
            "rerun_viewer = imove_bringup.rerun_viewer:main",
            "emulated_table = imove_bringup.emulated_table.node:main",
            "evaluation_series = imove_bringup.evaluation_series:main",
            "bag_player = imove_bringup.replay.player_node:main",
        ]
    },
    extras_require={"test": ["pytest"]},
    zip_safe=True,
)
