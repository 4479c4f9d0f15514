"""Installs imove_sim_bridge as an ament_python package."""

from setuptools import find_packages, setup

NAME = "imove_sim_bridge"

setup(
    name=NAME,
    version="0.1.0",
    description="The simulator behind the imove topic contract.",
    license="Apache-2.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    entry_points={"console_scripts": ["sim_bridge = imove_sim_bridge.node:main"]},
    extras_require={"test": ["pytest"]},
    zip_safe=True,
)
