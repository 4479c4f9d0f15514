"""Installs imove_core as an ament_python package."""

from setuptools import find_packages, setup

NAME = "imove_core"

setup(
    name=NAME,
    version="0.1.0",
    description="Rigs, transforms, kinematics, specs and bags of episodes, topic contract, policy protocol (ROS-free).",
    license="Apache-2.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    extras_require={"test": ["pytest"]},
    zip_safe=True,
)
