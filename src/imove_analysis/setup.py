"""Installs imove_analysis as an ament_python package."""

from setuptools import find_packages, setup

NAME = "imove_analysis"

setup(
    name=NAME,
    version="0.1.0",
    description="What runs show: statistics, language dependence, failures, tables and reports (ROS-free).",
    license="Apache-2.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed", "report/page/*"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    extras_require={"test": ["pytest", "hypothesis"]},
    zip_safe=True,
)
