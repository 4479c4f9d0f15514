"""Installs imove_hardware as an ament_python package."""

from setuptools import find_packages, setup

NAME = "imove_hardware"

setup(
    name=NAME,
    version="0.1.0",
    description="Drivers of PiPER X, RealSense and Franka behind the imove topic contract, with emulated devices.",
    license="Apache-2.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed", "realsense/vendor/*.yaml"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    entry_points={
        "console_scripts": [
            "piper_driver = imove_hardware.piper.node:main",
            "rig_frames = imove_hardware.rig_frames:main",
            "realsense_driver = imove_hardware.realsense.node:main",
            "franka_adapter = imove_hardware.franka.node:main",
            "piper_emulator = imove_hardware.emulation.piper.server:main",
            "franka_emulator = imove_hardware.emulation.franka.node:main",
        ]
    },
    extras_require={"test": ["pytest"]},
    zip_safe=True,
)
