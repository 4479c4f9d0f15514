"""Installs imove_eval as an ament_python package."""

from setuptools import find_packages, setup

NAME = "imove_eval"

setup(
    name=NAME,
    version="0.1.0",
    description="Runs suites of episodes, scores them and prints honest statistics.",
    license="Apache-2.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed", "blinded/page/*"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    entry_points={"console_scripts": ["evaluator = imove_eval.node:main"]},
    extras_require={"test": ["pytest"]},
    zip_safe=True,
)
