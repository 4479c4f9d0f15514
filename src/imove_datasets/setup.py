"""Installs imove_datasets as an ament_python package."""

from setuptools import find_packages, setup

NAME = "imove_datasets"

setup(
    name=NAME,
    version="0.1.0",
    description="Episode bags as the data sets that trainers take, and recipes and mixing plans for them (ROS-free).",
    license="Apache-2.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed", "recipes/manifests/*.json"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    extras_require={"test": ["pytest", "hypothesis"]},
    zip_safe=True,
)
