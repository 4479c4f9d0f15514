"""Installs imove_description as an ament_python package."""

from pathlib import Path

from setuptools import find_packages, setup

NAME = "imove_description"
SHARED_FOLDERS = ("meshes", "mjcf", "urdf")

setup(
    name=NAME,
    version="0.1.0",
    description="Arm models, meshes and rig files of imove (data and their generators).",
    license="Apache-2.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed", "arms/*.yaml", "rigs/*.yaml"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        *(
            (f"share/{NAME}/{folder}", sorted(path.as_posix() for path in Path(folder).iterdir()))
            for folder in SHARED_FOLDERS
        ),
    ],
    install_requires=["numpy", "PyYAML"],
    extras_require={"moveit": ["coal"], "test": ["coal", "defusedxml", "mujoco", "pytest", "scipy", "trimesh"]},
    zip_safe=True,
)
