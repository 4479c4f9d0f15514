"""Installs imove_teleop_aloha as an ament_python package."""

from setuptools import find_packages, setup

NAME = "imove_teleop_aloha"

setup(
    name=NAME,
    version="0.1.0",
    description="Leader to follower teleoperation with recording, on real and on simulated arms.",
    license="Apache-2.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    entry_points={
        "console_scripts": [
            "teleop = imove_teleop_aloha.node:main",
            "teleop_keys = imove_teleop_aloha.keys_node:main",
            "scripted_leader = imove_teleop_aloha.scripted_node:main",
        ]
    },
    extras_require={"test": ["pytest"]},
    zip_safe=True,
)
