"""The checksum of MCAP records, CRC-32 as in zlib."""

try:
    # Four to twelve times as fast as zlib's, which costs more than half of the write that it is for.
    from isal.isal_zlib import crc32
except ImportError:
    # ROS installs from Debian packages have no isal.
    from zlib import crc32

__all__ = ["crc32"]
