"""Installs imove_description as an ament_python package."""

from setuptools import find_packages, setup

NAME = "imove_description"

setup(
    name=NAME,
    version="0.1.0",
    description="Arm models, meshes and rig files of imove (data and their generators).",
    license="Apache-2.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed", "arms/*.yaml"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    extras_require={"test": ["pytest"]},
    zip_safe=True,
)
