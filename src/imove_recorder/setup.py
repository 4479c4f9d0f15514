"""Installs imove_recorder as an ament_python package."""

from setuptools import find_packages, setup

NAME = "imove_recorder"

setup(
    name=NAME,
    version="0.1.0",
    description="Records episodes into rosbag2 bags; nothing is lost unseen.",
    license="Apache-2.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    entry_points={"console_scripts": ["recorder = imove_recorder.node:main"]},
    extras_require={"test": ["pytest"]},
    zip_safe=True,
)
